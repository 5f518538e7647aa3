"""Ground floor: places and problems, intervals, three-valued truth, quantities and their units."""
