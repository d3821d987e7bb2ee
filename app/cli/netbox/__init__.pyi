from .options import import_netbox as import_netbox
