// A thermal zone without any trip point, as firmware of healthy machines has it.
DefinitionBlock("", "SSDT", 2, "AFTEST", "NOTRIP", 1)
{
    Scope (\_TZ)
    {
        ThermalZone (TZ00)
        {
            Name (_TZP, 100)
            Method (_TMP, 0, Serialized) { Return (3567) }
        }
    }
}
