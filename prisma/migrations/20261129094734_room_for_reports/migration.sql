-- A report changes its run in place only where the page has room for another version of the row: else the row moves, and all of its indexes are written.
-- Pages that exist are not rewritten; runs that are made from now on leave the room.
ALTER TABLE runs SET (fillfactor = 70);
