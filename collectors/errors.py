"""Errors of collectors.

CollectorError
├── ProfileError          a profile file is invalid                    (with all its mistakes)
├── ConfigError           an address, secret reference or setting is invalid
├── DeviceError           one device did not return the requested data
│   ├── Unreachable       no answer, no connection                     retryable
│   ├── AccessDenied      it refuses the credentials
│   │   └── UnsignedRefusal  anyone could have sent the refusal        retryable
│   ├── BadAnswer         its answer violates its protocol               retryable
│   └── Unidentified      no profile fits its identification
├── ServerError           the Wattline server
│   ├── ServerDown        not reachable, overloaded, 5xx               retryable
│   └── ServerRefused     it rejects this for good (4xx)
│       └── NameTaken     another collector of the same name polls
├── OutboxError           the outbox cannot be read or written         retryable
└── OurFault              an internal error                             retryable
"""

from __future__ import annotations

from collections.abc import Sequence


class CollectorError(Exception):
    """Base class: a stable `code`, a `detail` that names the object, a `hint` with a suggested fix."""

    code = "collector_error"
    retryable = False

    def __init__(self, detail: str, hint: str = "", code: str | None = None) -> None:
        super().__init__(detail)
        self.detail = detail
        self.hint = hint
        if code is not None:
            self.code = code

    @property
    def explanation(self) -> str:
        """Detail and suggested fix in one line."""
        return f"{self.detail}; {self.hint}" if self.hint else self.detail


class ProfileError(CollectorError):
    """A profile is invalid; `mistakes` lists every reason."""

    code = "bad_profile"

    def __init__(self, source: str, mistakes: Sequence[str]) -> None:
        super().__init__("\n".join(f"{source}: {mistake}" for mistake in mistakes))
        self.mistakes = tuple(mistakes)


class ConfigError(CollectorError):
    """An address, a secret reference or a setting is invalid."""

    code = "bad_config"


class DeviceError(CollectorError):
    """One device did not return the requested data."""

    code = "device_error"


class Unreachable(DeviceError):
    """No answer in time, or no connection."""

    code = "device_timeout"
    retryable = True


class AccessDenied(DeviceError):
    """The device refuses the credentials."""

    code = "access_denied"


class UnsignedRefusal(AccessDenied):
    """A refusal that does not prove that the device sent it: it is asked again before it is believed."""

    retryable = True


class BadAnswer(DeviceError):
    """An answer that violates the protocol, or an error that the device reports."""

    code = "bad_answer"
    retryable = True


class Unidentified(DeviceError):
    """No profile fits the device's identification."""

    code = "unidentified"


class ServerError(CollectorError):
    """The Wattline server did not accept a request."""

    code = "server_error"


class ServerDown(ServerError):
    """Not reachable, overloaded or broken: try again later."""

    code = "server_down"
    retryable = True


class ServerRefused(ServerError):
    """The server rejects this for good; `status` is the HTTP status."""

    code = "server_refused"

    def __init__(self, detail: str, hint: str = "", code: str | None = None, status: int = 400) -> None:
        super().__init__(detail, hint, code)
        self.status = status


class NameTaken(ServerRefused):
    """Another collector of the same name polls."""

    code = "collector_name_taken"


class OutboxError(CollectorError):
    """The outbox cannot be read or written: its disk is full, or the file is damaged."""

    code = "outbox_error"
    retryable = True


class OurFault(CollectorError):
    """An internal error; the log has the traceback."""

    code = "internal_error"
    retryable = True
