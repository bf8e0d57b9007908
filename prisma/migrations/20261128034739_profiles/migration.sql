-- AlterTable
ALTER TABLE "accounts" ADD COLUMN     "avatar_bytes" INTEGER NOT NULL DEFAULT 0,
ADD COLUMN     "avatar_key" TEXT,
ADD COLUMN     "email" TEXT;

ALTER TABLE accounts ADD CONSTRAINT accounts_avatar_whole CHECK (((avatar_key IS NULL) = (avatar_bytes = 0)) AND avatar_bytes >= 0);
ALTER TABLE accounts ADD CONSTRAINT accounts_email_form CHECK (((email IS NULL) OR ((kind = 'user'::"AccountKind") AND (length(email) <= 254))));
