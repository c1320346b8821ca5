// A thermal zone that gets 0.8 K hotter with every look and is critical at 100 degrees Celsius.
DefinitionBlock("", "SSDT", 2, "AFTEST", "HOT", 1)
{
    Scope (\_SB) { Name (HEAT, 3032) }
    Scope (\_TZ)
    {
        ThermalZone (TZ00)
        {
            Name (_TZP, 10)
            Method (_TMP, 0, Serialized) { Add (\_SB.HEAT, 8, \_SB.HEAT) Return (\_SB.HEAT) }
            Name (_HOT, 3682)
            Name (_CRT, 3732)
        }
    }
}
