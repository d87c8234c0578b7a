// Grabs with a generated client: grab ACTIVITY OTHER_ACTIVITY
package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log"
	"os"

	"hongbao"
)

func grab(ctx context.Context, grabs *hongbao.GrabsApiService, activityId string) {
	answer, _, err := grabs.GrabPacket(ctx, activityId).Execute()
	var fault hongbao.GenericOpenAPIError
	if errors.As(err, &fault) {
		var problem hongbao.ProblemDto
		if err := json.Unmarshal(fault.Body(), &problem); err != nil {
			log.Fatal(err)
		}
		fmt.Println("problem", problem.Code)
		return
	}
	if err != nil {
		log.Fatal(err)
	}
	switch answer.Code {
	case "0", "1":
		fmt.Println("won", *answer.RedPacketId, *answer.Amount)
	case "2":
		fmt.Println("reserved", *answer.RedPacketId)
	case "-1":
		fmt.Println("refused", *answer.Reason)
	}
}

func main() {
	configuration := hongbao.NewConfiguration()
	configuration.Servers[0].URL = os.Getenv("HONGBAO_URL")
	grabs := hongbao.NewAPIClient(configuration).GrabsApi
	ctx := context.WithValue(context.Background(), hongbao.ContextAccessToken, os.Getenv("HONGBAO_TOKEN"))
	for _, activityId := range os.Args[1:] {
		grab(ctx, grabs, activityId)
	}
	page, _, err := grabs.ListMyPackets(ctx).Execute()
	if err != nil {
		log.Fatal(err)
	}
	for _, packet := range page.Items {
		fmt.Println("mine", packet.RedPacketId, packet.Amount)
	}
}
