// Replaced by the stage.
