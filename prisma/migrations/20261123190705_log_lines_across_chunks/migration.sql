-- AlterTable
ALTER TABLE "robot_checks" ADD COLUMN     "log_open_bytes" INTEGER,
ADD COLUMN     "log_open_from" INTEGER;

-- AlterTable
ALTER TABLE "robot_check_log_chunks" ADD COLUMN     "line_from" INTEGER;

-- AlterTable
ALTER TABLE "runs" ADD COLUMN     "log_open_bytes" INTEGER,
ADD COLUMN     "log_open_from" INTEGER;

-- AlterTable
ALTER TABLE "run_log_chunks" ADD COLUMN     "line_from" INTEGER;

-- Lines of chunks from before end with their chunk, as their counts say.
ALTER TABLE runs ADD CONSTRAINT runs_log_open CHECK ((log_open_from IS NULL) = (log_open_bytes IS NULL));
ALTER TABLE robot_checks ADD CONSTRAINT robot_checks_log_open CHECK ((log_open_from IS NULL) = (log_open_bytes IS NULL));
