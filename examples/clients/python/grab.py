"""Grabs with a generated client: python3 grab.py ACTIVITY OTHER_ACTIVITY"""

import json
import os
import sys

import hongbao

configuration = hongbao.Configuration(host=os.environ["HONGBAO_URL"])
configuration.access_token = os.environ["HONGBAO_TOKEN"]
grabs = hongbao.GrabsApi(hongbao.ApiClient(configuration))


def grab(activity_id):
    try:
        answer = grabs.grab_packet(activity_id)
    except hongbao.ApiException as fault:
        code = json.loads(fault.body)["code"]
        known = code == hongbao.ProblemCode.ACTIVITY_NOT_FOUND
        print("problem", code if known else "unknown")
        return
    if answer.code in ("0", "1"):
        print("won", answer.red_packet_id, answer.amount)
    elif answer.code == "-1":
        print("refused", answer.reason)
    else:
        print("reserved", answer.red_packet_id)


for activity_id in sys.argv[1:]:
    grab(activity_id)
for packet in grabs.list_my_packets().items:
    print("mine", packet.red_packet_id, packet.amount)
