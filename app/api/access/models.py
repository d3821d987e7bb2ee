"""Request bodies and answers of signing in, users and tokens."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field
from typing_extensions import TypedDict

from app.api.http import Text
from app.domain.access import JobPolicy, Permission, Principal, Role, Scope, SignInMethod
from app.models import Time
from app.store.access import User

ShortText = Annotated[Text, Field(max_length=200)]
PasswordText = Annotated[str, Field(max_length=1000)]


class _Body(BaseModel):
    model_config = ConfigDict(extra="forbid")


class SignInBody(_Body):
    """User name and password of a local account, or a built-in token of the server."""

    user: ShortText = Field(default="", examples=["ada"])
    password: PasswordText = ""
    token: PasswordText = ""


class LinkBody(_Body):
    """The code of a one-time link."""

    code: ShortText


class AcceptLinkBody(LinkBody):
    """The code of a one-time link, and a password. `user`: the name that the first administrator chooses."""

    user: ShortText = ""
    password: PasswordText


class PasswordBody(_Body):
    """The present password and a new one."""

    old: PasswordText
    new: PasswordText


class UserChange(_Body):
    """What changes of a user; omitted fields are kept."""

    label: ShortText = Field(default="", description="name as people write it", examples=["Ada Lovelace"])
    roles: list[ShortText] = Field(default_factory=list, examples=[["researcher"]])
    projects: list[ShortText] = Field(
        default_factory=list, max_length=200, description="projects whose jobs a project lead sees in full"
    )
    disabled: bool = False


class UserBody(UserChange):
    """A new user. `name` is the user name in jobs too."""

    name: ShortText = Field(examples=["ada"])

    def to_user(self, roles: tuple[Role, ...]) -> User:
        """The store's form."""
        return User(self.name, roles, self.label, tuple(self.projects), disabled=self.disabled)


class TokenBody(_Body):
    """A new API token."""

    name: ShortText = Field(min_length=1, description="what it is for", examples=["notebook"])
    scopes: list[ShortText] = Field(examples=[["read"]])
    collector: ShortText | None = Field(default=None, description="only for the leases of this collector")
    cluster: ShortText | None = Field(default=None, description="only for jobs of this cluster")
    days: Annotated[int, Field(ge=1, le=3650)] | None = Field(
        default=90, description="for how long; null: until it is revoked"
    )


class Me(TypedDict):
    """Who sends the request, and what it may do. `jobs_of_others`: what it sees of jobs of other people."""

    name: Annotated[str, Field(examples=["ada"])]
    label: str
    how: SignInMethod
    is_user: bool
    roles: list[Role]
    permissions: list[Permission]
    scopes: list[Scope]
    projects: list[str]
    jobs_of_others: JobPolicy
    can_change_password: bool


class SignInWays(TypedDict):
    """How one can sign in here. `first_start`: no user exists yet."""

    site: str
    local: bool
    single_sign_on: Annotated[str | None, Field(description="name of the identity provider")]
    tokens: bool
    first_start: bool


class SignedOut(TypedDict):
    """Where the browser goes to sign out at the identity provider too; null if it did not sign in there."""

    provider: str | None


class LinkAnswer(TypedDict):
    """What a one-time link is for. `user`: null for the first administrator, who chooses a name."""

    purpose: Literal["first administrator", "password"]
    user: str | None


class NewLinkAnswer(TypedDict):
    """A one-time link, shown this once."""

    user: str
    url: str
    until: Time


def me_answer(principal: Principal, policy: JobPolicy, scopes: list[Scope], *, has_password: bool) -> Me:
    """Return a principal as answers show it."""
    return {
        "name": principal.name,
        "label": principal.label,
        "how": principal.how,
        "is_user": principal.is_user,
        "roles": list(principal.roles),
        "permissions": sorted(principal.permissions),
        "scopes": scopes,
        "projects": sorted(principal.projects),
        "jobs_of_others": "open" if principal.job_view(policy).is_open else policy,
        "can_change_password": has_password and principal.how == "session",
    }
