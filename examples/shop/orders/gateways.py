"""The payment provider."""

import requests

BASE = "https://api.pay.example/v1"


def pay(path, body, key=None):
    headers = {"Idempotency-Key": key} if key else {}
    answer = requests.post(BASE + path, json=body, headers=headers, timeout=10)
    answer.raise_for_status()
    return answer.json()
