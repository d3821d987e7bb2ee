from .attempt import Attempt as Attempt
from .attempt import new_attempt as new_attempt
from .attempt import read_attempt as read_attempt
from .provider import IdentityProvider as IdentityProvider
from .provider import identity_provider as identity_provider
from .sign_on import finish_sign_on as finish_sign_on
