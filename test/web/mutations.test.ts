/** Every mutation of the graph is reached from a page, or stands here with the reason why no page has it. */
import { Kind } from 'graphql'
import { expect, it } from 'vitest'
import { schema } from '../../schema/index.ts'
import { pageDocuments } from './support/documents.ts'

const worker = 'A runner, a check worker or a policy server calls it for its own job.'
const oneFile = 'For clients of one file at a time: pages send bytes ahead and commit them, as hub push does.'
const terminal = 'A sign-in from a terminal has a page of the server, /auth/device, that works without scripts.'

const withoutPage: Readonly<Record<string, string>> = {
  abortUpload: oneFile,
  completeUpload: oneFile,
  linkFiles: oneFile,
  presignUpload: oneFile,
  deleteFiles: 'Pages delete by a commit, which is guarded against the change of another editor.',
  approveDeviceLogin: terminal,
  denyDeviceLogin: terminal,
  redeemDeviceLogin: terminal,
  startDeviceLogin: terminal,
  cancelSpendHold: 'The agent that asked withdraws its request with its own key; a person denies it.',
  claimEndpoint: worker,
  claimNextDatasetCheck: worker,
  claimNextEpisodeFilm: worker,
  claimNextRobotCheck: worker,
  claimNextRun: worker,
  claimRobotCheck: worker,
  claimRun: worker,
  presignEpisodeFilm: worker,
  presignRobotCheckArtifacts: worker,
  recordGateResults: worker,
  makeRunKey: 'hub track --hf asks for it, for the command that it starts.',
  recordRunMedia: worker,
  reportDatasetCheck: worker,
  reportEpisodeFilm: worker,
  reportEndpoint: worker,
  reportEndpointSession: worker,
  reportRobotCheck: worker,
  reportRun: worker,
  startRun: 'A program that trains starts its own run with it, and reports.',
  importRun: 'It takes the files of another tracker from a program that has them.',
  openEndpointSession: 'The driver of a robot opens it, with the token of its approval.',
  putJointMap:
    'Joints are paired, measured and signed in a file of hub map put; the page of episodes keeps its own in its address.',
  publishRollouts: 'hub rollout --publish sends what its processes ran, seed by seed.',
  putRobotCard: 'A check drafts the card and publishes it; one that is written by hand is a file of hub card.',
  validateRobotCard: 'For hub card, over a file that is not published yet.',
}

it('every mutation is reached from a page, or has a reason', async () => {
  const asked = (await pageDocuments()).flatMap(({ operation }) =>
    operation.operation === 'mutation'
      ? operation.selectionSet.selections.flatMap((one) => (one.kind === Kind.FIELD ? [one.name.value] : []))
      : [],
  )
  const reached = new Set(asked)
  const all = Object.keys(schema.getMutationType()?.getFields() ?? {})
  expect(all.length).toBeGreaterThan(60)
  expect(all.filter((name) => !reached.has(name)).sort()).toEqual(Object.keys(withoutPage).sort())
})
