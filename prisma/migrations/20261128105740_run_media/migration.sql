-- CreateEnum
CREATE TYPE "RunMediaKind" AS ENUM ('image', 'video', 'audio', 'table', 'histogram', 'html', 'text', 'file');

-- CreateTable
CREATE TABLE "run_media" (
    "run_id" TEXT NOT NULL,
    "key" TEXT COLLATE "C" NOT NULL,
    "step" BIGINT NOT NULL,
    "index" INTEGER NOT NULL,
    "kind" "RunMediaKind" NOT NULL,
    "path" TEXT,
    "value" JSON,
    "caption" TEXT,
    "width" INTEGER,
    "height" INTEGER,
    "seconds" DOUBLE PRECISION,
    "bytes" INTEGER NOT NULL,
    "at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "run_media_pkey" PRIMARY KEY ("run_id","key","step","index"),
    CONSTRAINT "run_media_one_content" CHECK ((path IS NULL) <> (value IS NULL)),
    CONSTRAINT "run_media_bounds" CHECK (char_length(key) BETWEEN 1 AND 256 AND step >= 0 AND index >= 0 AND bytes > 0 AND coalesce(octet_length(value::text), 0) <= 65536)
);

-- CreateTable
CREATE TABLE "run_media_keys" (
    "run_id" TEXT NOT NULL,
    "key" TEXT COLLATE "C" NOT NULL,
    "kind" "RunMediaKind" NOT NULL,
    "entries" INTEGER NOT NULL,
    "bytes" BIGINT NOT NULL,
    "last_step" BIGINT NOT NULL,

    CONSTRAINT "run_media_keys_pkey" PRIMARY KEY ("run_id","key","kind"),
    CONSTRAINT "run_media_keys_bounds" CHECK (char_length(key) BETWEEN 1 AND 256 AND last_step >= 0)
);

-- AddForeignKey
ALTER TABLE "run_media_keys" ADD CONSTRAINT "run_media_keys_run_id_fkey" FOREIGN KEY ("run_id") REFERENCES "runs"("id") ON DELETE CASCADE ON UPDATE CASCADE;
