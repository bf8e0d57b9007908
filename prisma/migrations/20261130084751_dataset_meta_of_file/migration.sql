-- AlterTable
ALTER TABLE "dataset_meta" ADD COLUMN     "info_seq" INTEGER;

-- What was put by hand after the file goes with it once; a person may put it again.
UPDATE dataset_meta m SET info_seq = f.from_seq FROM files f
  WHERE f.repo_id = m.repo_id AND f.path = 'meta/info.json' AND f.to_seq IS NULL;
