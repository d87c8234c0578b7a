/**
 * The columns that hold ids of people, by table. In a text or an array the id is a whole value, and in JSON
 * the value of a field that names people, such as `userId`. Other forms follow the name of the column:
 *
 * * `subject (noun:id)`, a text with the noun of the subject before the id
 * * `body (json)`, a text that is JSON
 * * `subject_id where <condition>`, a column that holds ids of people in some rows only
 * * `fingerprint (digest)`, a digest of a text that may have had the ids in its row, which can be tried
 */
export type People = Readonly<Record<string, readonly string[]>>;
