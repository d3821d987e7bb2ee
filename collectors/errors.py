"""What can go wrong on the collector's side, as one tree.

CollectorError
├── ProfileError          a profile file is wrong                      (every mistake of it at once)
├── ConfigError           an address, a secret reference or a device's settings cannot be used
├── DeviceError           one device did not give what was asked
│   ├── Unreachable       no answer, no connection                     retryable
│   ├── AccessDenied      it refuses us: community, user, password
│   ├── BadAnswer         it answered, but not what its protocol allows retryable
│   └── Unidentified      no profile fits what it says about itself
├── ServerError           the Wattline server
│   ├── ServerDown        not reachable, overloaded, 5xx               retryable
│   └── ServerRefused     it will never take this (4xx)
└── OurFault              our own code broke                            retryable
"""

from __future__ import annotations

from collections.abc import Sequence


class CollectorError(Exception):
    """Base of all: a stable `code`, a `detail` that names the thing, a `hint` a person can act on."""

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
    """A profile breaks the rules; `mistakes` holds every one of them."""

    code = "bad_profile"

    def __init__(self, source: str, mistakes: Sequence[str]) -> None:
        super().__init__("\n".join(f"{source}: {mistake}" for mistake in mistakes))
        self.mistakes = tuple(mistakes)


class ConfigError(CollectorError):
    """An address, a secret reference or a setting cannot be used."""

    code = "bad_config"


class DeviceError(CollectorError):
    """One device did not give what was asked."""

    code = "device_error"


class Unreachable(DeviceError):
    """No answer in time, or no connection."""

    code = "device_timeout"
    retryable = True


class AccessDenied(DeviceError):
    """The device refuses the credentials."""

    code = "access_denied"


class BadAnswer(DeviceError):
    """An answer that its protocol does not allow, or an error the device reports."""

    code = "bad_answer"
    retryable = True


class Unidentified(DeviceError):
    """No profile fits what the device says about itself."""

    code = "unidentified"


class ServerError(CollectorError):
    """The Wattline server did not take what was sent."""

    code = "server_error"


class ServerDown(ServerError):
    """Not reachable, overloaded or broken: try again later."""

    code = "server_down"
    retryable = True


class ServerRefused(ServerError):
    """The server will never take this; `status` is the HTTP status."""

    code = "server_refused"

    def __init__(self, detail: str, hint: str = "", code: str | None = None, status: int = 400) -> None:
        super().__init__(detail, hint, code)
        self.status = status


class OurFault(CollectorError):
    """Our own code broke; the log has the traceback."""

    code = "internal_error"
    retryable = True
