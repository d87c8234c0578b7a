// Funds a rain with a generated client, and a second person approves each step: fund LETTER
package main

import (
	"context"
	"crypto/rand"
	"fmt"
	"log"
	"os"
	"time"

	"hongbao"
)

func as(token string) context.Context {
	return context.WithValue(context.Background(), hongbao.ContextAccessToken, os.Getenv(token))
}

func newKey() string {
	key := make([]byte, 16)
	if _, err := rand.Read(key); err != nil {
		log.Fatal(err)
	}
	return fmt.Sprintf("%x", key)
}

func must(err error) {
	if err != nil {
		log.Fatal(err)
	}
}

func main() {
	configuration := hongbao.NewConfiguration()
	configuration.Servers[0].URL = os.Getenv("HONGBAO_URL")
	api := hongbao.NewAPIClient(configuration)
	first, second := as("HONGBAO_TOKEN"), as("HONGBAO_SECOND_TOKEN")

	// Whoever asked is named by requests that wait, and by nothing else.
	approved := func(step string, askedBy *string, id *string, amount *string) *string {
		if askedBy == nil {
			log.Fatal(step, " did not wait for a second person")
		}
		decided, _, err := api.ApprovalsApi.ApproveRequest(second, *id).IdempotencyKey(newKey()).Execute()
		must(err)
		fmt.Println(step, *amount, decided.Status)
		return decided.ResultId.Get()
	}

	owner := "go-sponsor"
	now := time.Now()
	end := now.Add(time.Hour)
	deposit, _, err := api.WalletsApi.DepositMoney(first, owner).IdempotencyKey(newKey()).
		DepositBody(hongbao.DepositBody{Amount: "50.00"}).Execute()
	must(err)
	approved("deposit", deposit.AskedBy, deposit.Id, deposit.Amount)

	plan := hongbao.CreateActivityBody{
		Name: "Rain in Go", SponsorId: &owner, TotalAmount: "20.00", PacketCount: 2,
		Split: &hongbao.SplitBody{Kind: "random"}, OpensAt: &now, ClosesAt: &end,
	}
	created, _, err := api.ActivitiesApi.CreateActivity(first).IdempotencyKey(newKey()).CreateActivityBody(plan).Execute()
	must(err)
	activityId := approved("create", created.AskedBy, &created.Id, created.Amount)

	more := hongbao.TopUpBody{Amount: "15.00", PacketCount: 3}
	topUp, _, err := api.ActivitiesApi.TopUpActivity(first, *activityId).IdempotencyKey(newKey()).TopUpBody(more).Execute()
	must(err)
	approved("top-up", topUp.AskedBy, &topUp.Id, &topUp.Amount)

	reason := hongbao.VoidBody{Reason: "The account belongs to a robot."}
	void, _, err := api.DeadLettersApi.VoidDeadLetter(first, os.Args[1]).IdempotencyKey(newKey()).VoidBody(reason).Execute()
	must(err)
	approved("void", void.AskedBy, void.Id, &void.Amount)
}
