"""Funds a rain with a generated client, and a second person approves each step: python3 fund.py LETTER"""

import os
import sys
from datetime import datetime, timedelta, timezone
from uuid import uuid4

import hongbao


def client_of(token):
    configuration = hongbao.Configuration(host=os.environ["HONGBAO_URL"])
    configuration.access_token = os.environ[token]
    return hongbao.ApiClient(configuration)


first = client_of("HONGBAO_TOKEN")
approvals = hongbao.ApprovalsApi(client_of("HONGBAO_SECOND_TOKEN"))


def approved(step, answer):
    """Whoever asked is named by requests that wait, and by nothing else."""
    if answer.asked_by is None:
        sys.exit(step + " did not wait for a second person")
    decided = approvals.approve_request(id=answer.id, idempotency_key=str(uuid4()))
    print(step, answer.amount, decided.status)
    return decided


owner = "python-sponsor"
now = datetime.now(timezone.utc)
activities = hongbao.ActivitiesApi(first)
deposit = hongbao.WalletsApi(first).deposit_money(
    owner_id=owner, idempotency_key=str(uuid4()), deposit_body=hongbao.DepositBody(amount="50.00")
)
approved("deposit", deposit)
plan = hongbao.CreateActivityBody(
    name="Rain in Python",
    sponsor_id=owner,
    total_amount="20.00",
    packet_count=2,
    split=hongbao.SplitBody(kind="random"),
    opens_at=now,
    closes_at=now + timedelta(hours=1),
)
created = activities.create_activity(idempotency_key=str(uuid4()), create_activity_body=plan)
activity_id = approved("create", created).result_id
more = hongbao.TopUpBody(amount="15.00", packet_count=3)
approved("top-up", activities.top_up_activity(id=activity_id, idempotency_key=str(uuid4()), top_up_body=more))
letters = hongbao.DeadLettersApi(first)
reason = hongbao.VoidBody(reason="The account belongs to a robot.")
approved("void", letters.void_dead_letter(id=sys.argv[1], idempotency_key=str(uuid4()), void_body=reason))
