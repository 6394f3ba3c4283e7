import dapr.ext.workflow as wf
import requests
from sqlalchemy import create_engine, select, update
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.orm import DeclarativeBase, Mapped, Session, mapped_column

wfr = wf.WorkflowRuntime()
engine = create_engine("postgresql+psycopg:///shop")
MAILER = "https://mail.internal.example/messages"


class Base(DeclarativeBase):
    pass


# [table]
class IntentRecord(Base):
    __tablename__ = "intent_record"

    key: Mapped[str] = mapped_column(primary_key=True)
    status: Mapped[str]  # pending, succeeded, failed
    reference: Mapped[str]  # what the provider can be searched for
    provider_id: Mapped[str | None]
    failure: Mapped[str | None]
    transient: Mapped[bool] = mapped_column(default=False)
# [/table]


# [write]
@wfr.activity(name="SendInvoice")
def send_invoice(ctx: wf.WorkflowActivityContext, invoice: dict) -> str:
    with Session(engine) as session:
        claimed = session.execute(
            insert(IntentRecord)
            .values(key=invoice["key"], status="pending", reference=invoice["number"])
            .on_conflict_do_nothing(index_elements=["key"])
        )
        session.commit()
        if claimed.rowcount == 0:  # a repeat
            record = session.scalars(select(IntentRecord).where(IntentRecord.key == invoice["key"])).one()
            if record.status == "pending":
                return reconcile(invoice)  # ask the provider; never send again
            if record.status == "failed":
                raise RuntimeError(record.failure)
            return record.provider_id
        response = requests.post(MAILER, json=invoice, timeout=10)
        response.raise_for_status()
        message_id = response.json()["id"]
        session.execute(update(IntentRecord).where(IntentRecord.key == invoice["key"]).values(status="succeeded", provider_id=message_id))
        session.commit()
        return message_id
# [/write]


def reconcile(invoice: dict) -> str:
    found = requests.get(MAILER, params={"reference": invoice["number"]}, timeout=10).json()
    if not found:
        raise RuntimeError("outcome unknown: a person decides between sending again and not sending")
    with Session(engine) as session:
        session.execute(update(IntentRecord).where(IntentRecord.key == invoice["key"]).values(status="succeeded", provider_id=found[0]["id"]))
        session.commit()
    return found[0]["id"]
