// A receiver of payouts: the part of your balance system that Hongbao calls. Go 1.19, no packages.
//
//	SECRETS="whsec_new whsec_old" JOURNAL=payouts.ndjson PORT=8090 go run receiver.go
//
// PUT /payouts/{id} pays, GET /payouts/{id} answers what became of it, GET /statements/{day} is the
// file of a day (UTC). Three rules keep the money safe:
//
//  1. A decision is on the disk before it is answered, and it never changes.
//  2. The same id gets the same answer. With another user, amount or currency it gets `conflict`.
//  3. A code of the closed list (`user-unknown`, …) means: not paid, and never will be.
package main

import (
	"bytes"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/csv"
	"encoding/hex"
	"encoding/json"
	"io"
	"log"
	"net/http"
	"os"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"time"
)

const (
	toleranceSeconds = 300
	bodyBytesMax     = 65_536
)

type Order struct {
	PayoutID string `json:"payoutId"`
	UserID   string `json:"userId"`
	Amount   string `json:"amount"`
	Currency string `json:"currency"`
}

type Answer struct {
	State      string `json:"state,omitempty"`
	Code       string `json:"code,omitempty"`
	ExternalID string `json:"externalId,omitempty"`
	*Order
}

type Payout struct {
	Answer
	At string `json:"at"`
}

var (
	keys     [][]byte
	currency = setting("CURRENCY", "CNY")
	journal  *os.File
	mutex    sync.Mutex // guards what follows, and the journal
	payouts  = map[string]Payout{}
	inOrder  []string

	route = regexp.MustCompile(`^/(payouts|statements)/([0-9A-Za-z-]{1,32})$`)
	money = regexp.MustCompile(`^(0|[1-9][0-9]{0,14})(\.[0-9]{1,3})?$`)
)

// Yours: look the user up. Here the beginning of an id decides.
func refusalOf(order Order) string {
	switch {
	case strings.HasPrefix(order.UserID, "unknown-"):
		return "user-unknown"
	case strings.HasPrefix(order.UserID, "closed-"):
		return "user-closed"
	case order.Currency != currency:
		return "currency"
	case !money.MatchString(order.Amount) || strings.Trim(order.Amount, "0.") == "":
		return "amount"
	}
	return ""
}

// Yours: one transaction of your database, which adds to the balance and inserts the payout under
// its id as primary key. Here a line of the journal is both. If it cannot be written, this program
// ends, and reads at its next start what is really on the disk.
func decide(order Order) Payout {
	payout := Payout{Answer{State: "paid", ExternalID: newID(), Order: &order}, time.Now().UTC().Format(time.RFC3339Nano)}
	if code := refusalOf(order); code != "" {
		payout.Answer = Answer{State: "refused", Code: code, Order: &order}
	}
	line, err := json.Marshal(payout)
	must(err)
	_, err = journal.Write(append(line, '\n'))
	must(err)
	must(journal.Sync())
	remember(payout)
	return payout
}

func remember(payout Payout) {
	payouts[payout.PayoutID] = payout
	inOrder = append(inOrder, payout.PayoutID)
}

func readJournal(name string) {
	var err error
	journal, err = os.OpenFile(name, os.O_RDWR|os.O_CREATE|os.O_APPEND, 0o600)
	must(err)
	text, err := io.ReadAll(journal)
	must(err)
	whole := text[:bytes.LastIndexByte(text, '\n')+1]
	must(journal.Truncate(int64(len(whole)))) // A crash may leave half a line behind. It was never answered.
	for _, line := range bytes.Split(bytes.TrimSpace(whole), []byte("\n")) {
		var payout Payout
		if len(line) > 0 {
			must(json.Unmarshal(line, &payout))
			remember(payout)
		}
	}
}

// https://www.standardwebhooks.com: any of the signatures, by any of our secrets.
func isSigned(headers http.Header, body []byte) bool {
	at := headers.Get("webhook-timestamp")
	seconds, err := strconv.ParseInt(at, 10, 64)
	age := time.Now().Unix() - seconds
	if err != nil || age > toleranceSeconds || age < -toleranceSeconds {
		return false
	}
	for _, key := range keys {
		mac := hmac.New(sha256.New, key)
		mac.Write([]byte(headers.Get("webhook-id") + "." + at + "."))
		mac.Write(body)
		expected := []byte("v1," + base64.StdEncoding.EncodeToString(mac.Sum(nil)))
		for _, given := range strings.Split(headers.Get("webhook-signature"), " ") {
			if hmac.Equal([]byte(given), expected) {
				return true
			}
		}
	}
	return false
}

// Returns a status and a body: text, or what becomes JSON.
func answerTo(request *http.Request, body []byte) (int, any) {
	match := route.FindStringSubmatch(request.URL.Path)
	if match == nil {
		return 404, Answer{}
	}
	kind, id := match[1], match[2]
	if request.Header.Get("webhook-id") != id || !isSigned(request.Header, body) {
		return 401, Answer{Code: "signature"}
	}
	mutex.Lock()
	defer mutex.Unlock()
	known, exists := payouts[id]
	switch {
	case request.Method == "GET" && kind == "statements":
		return 200, statementOf(id)
	case request.Method == "GET" && exists:
		return show(known)
	case request.Method == "GET":
		return 404, Answer{Code: "not-found"}
	case request.Method != "PUT" || kind != "payouts":
		return 405, Answer{}
	}
	var order Order
	if json.Unmarshal(body, &order) != nil || order.PayoutID != id || order.UserID == "" {
		return 400, Answer{Code: "malformed"}
	}
	if !exists {
		known = decide(order)
	}
	if *known.Order != order {
		return 409, Answer{Code: "conflict"}
	}
	return show(known)
}

func show(payout Payout) (int, any) {
	if payout.State == "paid" {
		return 200, payout.Answer
	}
	return 422, payout.Answer
}

func statementOf(day string) string {
	var file strings.Builder
	rows := csv.NewWriter(&file)
	must(rows.Write([]string{"payoutId", "userId", "amount", "state", "at"}))
	for _, id := range inOrder {
		payout := payouts[id]
		if strings.HasPrefix(payout.At, day+"T") {
			must(rows.Write([]string{id, payout.UserID, payout.Amount, payout.State, payout.At}))
		}
	}
	rows.Flush()
	return file.String()
}

func serve(response http.ResponseWriter, request *http.Request) {
	body, err := io.ReadAll(http.MaxBytesReader(response, request.Body, bodyBytesMax))
	if err != nil {
		return // A request that is cut off, or too long, has no effect.
	}
	status, answer := answerTo(request, body)
	text, isText := answer.(string)
	kind := "text/csv"
	if !isText {
		kind = "application/json"
		encoded, err := json.Marshal(answer)
		must(err)
		text = string(encoded)
	}
	response.Header().Set("content-type", kind+"; charset=utf-8")
	response.WriteHeader(status)
	io.WriteString(response, text)
}

func newID() string {
	bytes := make([]byte, 16)
	_, err := rand.Read(bytes)
	must(err)
	return hex.EncodeToString(bytes)
}

func setting(name, otherwise string) string {
	if value := os.Getenv(name); value != "" {
		return value
	}
	return otherwise
}

func must(err error) {
	if err != nil {
		log.Fatal(err)
	}
}

func main() {
	for _, secret := range strings.Fields(os.Getenv("SECRETS")) {
		key, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(secret, "whsec_"))
		must(err)
		keys = append(keys, key)
	}
	if len(keys) == 0 {
		log.Fatal("SECRETS: one or two of whsec_…")
	}
	readJournal(setting("JOURNAL", "payouts.ndjson"))
	log.Fatal(http.ListenAndServe("127.0.0.1:"+setting("PORT", "8090"), http.HandlerFunc(serve)))
}
