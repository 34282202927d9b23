"""A fake polkit for the helper, recording every check."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from enum import Enum, auto

from dbus_fast import Message, MessageType, Variant
from dbus_fast.aio import MessageBus

NAME = "org.freedesktop.PolicyKit1"


class Answer(Enum):
    """polkit's possible answers to a check."""

    YES = auto()
    NO = auto()
    ASK = auto()  # no, but a password would help
    ERROR = auto()
    NONSENSE = auto()  # an answer of other types
    SILENCE = auto()


@dataclass(frozen=True, slots=True)
class Question:
    """One CheckAuthorization."""

    subject_kind: str
    subject: str
    action: str
    details: dict[str, str]
    flags: int
    ticket: str


class FakePolkit:
    """Fake polkit that answers ``answer`` at ``address`` while it is started."""

    def __init__(self, address: str, answer: Answer = Answer.YES) -> None:
        self.address = address
        self.answer = answer
        self.questions: list[Question] = []
        self.withdrawn: asyncio.Queue[str] = asyncio.Queue()
        self._bus: MessageBus | None = None

    async def start(self) -> None:
        """Connect to the bus and request the name."""
        self._bus = await MessageBus(bus_address=self.address).connect()
        self._bus.add_message_handler(self._handle)
        await self._bus.request_name(NAME)

    def stop(self) -> None:
        """Disconnect from the bus."""
        if self._bus:
            self._bus.disconnect()

    def _handle(self, message: Message) -> Message | bool:
        if message.message_type is not MessageType.METHOD_CALL:
            return False
        if message.member == "CancelCheckAuthorization":
            self.withdrawn.put_nowait(message.body[0])
            return True
        if message.member != "CheckAuthorization" or message.signature != "(sa{sv})sa{ss}us":
            return False
        (kind, subject), action, details, flags, ticket = message.body
        name: Variant = subject["name"]
        self.questions.append(Question(kind, name.value, action, details, flags, ticket))
        return self._reply(message)

    def _reply(self, message: Message) -> Message | bool:
        if self.answer is Answer.SILENCE:
            return True
        if self.answer is Answer.ERROR:
            return Message.new_error(message, "org.freedesktop.PolicyKit1.Error.Failed", "broken")
        if self.answer is Answer.NONSENSE:
            return Message.new_method_return(message, "b", [True])
        result = [self.answer is Answer.YES, self.answer is Answer.ASK, {}]
        return Message.new_method_return(message, "(bba{ss})", [result])
