"""The collecting half of Wattline: knows devices, knows no database."""
