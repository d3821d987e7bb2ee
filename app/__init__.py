"""The server half of Wattline: knows what the numbers mean, knows no device."""
