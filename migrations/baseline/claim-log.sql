-- An append-only log of all claims (docs/fairness.md, decision 55). Nothing of it is written with a
-- claim: a worker appends claims after their commit.
create table claim_leaf (
  leaf_index   bigint      not null,
  activity_id  bigint      not null,
  packet_no    integer     not null,
  user_hash    bytea       not null,
  confirmed_at timestamptz not null,
  constraint claim_leaf_pkey primary key (leaf_index),
  constraint claim_leaf_packet_once unique (activity_id, packet_no),
  constraint claim_leaf_hashed check (octet_length(user_hash) = 32)
);
create trigger append_only before update or delete or truncate on claim_leaf
for each statement execute function refuse_change();

-- Without its salt a leaf names nobody, so salts have a table of their own, whose rows may be deleted.
create table claim_salt (
  leaf_index bigint not null,
  salt       bytea  not null,
  constraint claim_salt_pkey primary key (leaf_index)
);

-- A node is the hash of 256^level leaves, so there is one for 255 leaves; those in between are
-- computed.
create table claim_log_node (
  level smallint not null,
  no    bigint   not null,
  hash  bytea    not null,
  constraint claim_log_node_pkey primary key (level, no)
);
create trigger append_only before update or delete or truncate on claim_log_node
for each statement execute function refuse_change();

-- Each append signs the tree that it has made.
create table claim_checkpoint (
  tree_size    bigint      not null,
  claims_to    bigint      not null,
  root         bytea       not null,
  note         text        not null,
  verifier_key text        not null,
  signed_at    timestamptz not null default now(),
  constraint claim_checkpoint_pkey primary key (tree_size)
);
create trigger append_only before update or delete or truncate on claim_checkpoint
for each statement execute function refuse_change();
