/** Moving a repo, and finding one by the name that it had. Contract, "Moving a repo". */
import { handleText, hfNameText, slugText } from '@hub/formats/text-rules'
import { moveRepo, nameToMove } from '../../src/files/move-repo.ts'
import { repoMovedFrom } from '../../src/repos/old-names.ts'
import { rule } from '../input-field.ts'
import { RepoType } from '../repos/repo.ts'
import { targetRepo } from '../repos/target-repo.ts'
import { args, input, mutation, query } from '../root-field.ts'

mutation('moveRepo', {
  type: RepoType,
  payload: { name: 'repo', description: 'The repo under its new name.' },
  description:
    'Gives a repo another name, another owner, or both. What refers to it stays; its old name leads to it until ' +
    'another repo takes that. 403 for every agent key and without the right to write for both owners, 409 if the ' +
    'name is taken, 413 if the bytes do not fit in the quota of the new owner, 429 if its open uploads or films do ' +
    'not.',
  scope: 'key:write',
  target: async (ctx, given) => targetRepo(ctx, await nameToMove(ctx, given)),
  input: input('The repo and its new name.', (t) => ({
    fromOwner: t.string({ required: true, description: 'Current handle of the owner.' }),
    fromRepo: t.string({ required: true, description: 'Current slug.' }),
    owner: t.string({
      ...rule(handleText),
      description: 'Handle of the new owner: the caller, or an org the caller belongs to; the current owner if absent.',
    }),
    slug: t.string({ ...rule(slugText), description: 'The new slug; the current one if absent.' }),
    hfName: t.string({
      ...rule(hfNameText),
      description: 'The new name as a client of the Hugging Face API gives it; the slug follows from it.',
    }),
  })),
  verb: moveRepo,
})

query('movedRepo', {
  type: RepoType,
  nullable: true,
  description:
    'The repo that had this name before it was moved; null if there is none, if another repo has the name now, or if ' +
    'it is not visible to the caller.',
  scope: 'none',
  args: args((t) => ({
    owner: t.string({ required: true, description: 'Handle of the owner then.' }),
    slug: t.string({ required: true, description: 'Its slug then.' }),
  })),
  read: repoMovedFrom,
})
