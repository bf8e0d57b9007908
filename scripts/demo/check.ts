/**
 * The robot check of the demo: a folder is dropped, checked, answered, checked again and published; a worker of its own
 * executes the checks.
 */
import { fileURLToPath } from 'node:url'
import { type HubClient, type NewCheck, pushFolder, type RemoteCheck } from '@hub/client/internal'
import { checkText } from '../../packages/cli/src/check-output.ts'
import type { ThrowawayHub } from './throwaway-hub.ts'
import { startWorker } from './worker-process.ts'

type Say = (line: string) => void

const sample = fileURLToPath(new URL('../../examples/robot', import.meta.url))
const ENTRY = 'scene.xml'

/** What a person answers only when the first draft asks for it. */
const ANSWERS = { action_scale: 0.25, proprioception: ['joint_pos', 'joint_vel'] }

interface CheckChapter {
  readonly hub: ThrowawayHub
  /** Of the person who drops the folder and publishes. */
  readonly client: HubClient
  /** Of the worker, which may not publish what it drafted. */
  readonly workerToken: string
  readonly owner: string
  readonly cacheDir: string
  readonly say: Say
}

/** Rejects if a check or the publish ends otherwise than it should. */
export async function checkAndPublish({ hub, client, workerToken, owner, cacheDir, say }: CheckChapter): Promise<void> {
  const repo = { owner, slug: 'pico-arm-demo' }
  const pushed = await pushFolder(client, repo, sample, { cacheDir, kind: 'robot', visibility: 'private' })
  say(`  dropped ${sample}: ${pushed.sent.length + pushed.skipped} files in ${pushed.repo}, a private repo`)
  const worker = startWorker(hub, workerToken, ['check-worker', '--name', 'demo', '--owner', owner])
  try {
    const asked = {
      kind: 'robot',
      robot_repo: pushed.repo,
      entry: ENTRY,
      control_hz: 50,
      action: 'position_offset',
      executor: 'worker',
    } as const
    const draft = await checked(client, asked, say)
    const needs = draft.draft?.needs_you.filter(({ severity }) => severity === 'blocking').map(({ field }) => field)
    if (needs?.join() !== 'options.action_scale') throw new Error(`The draft needs ${needs?.join() || 'nothing'}.`)
    say(`  answered: ${JSON.stringify(ANSWERS)}`)
    const answered = await checked(client, { ...asked, options: ANSWERS }, say)
    if (answered.publish_blockers.length > 0)
      throw new Error(`It cannot be published: ${answered.publish_blockers.join(' ')}`)
    await client.checks.publish(answered.id, { visibility: 'public' })
    await showCard(hub, pushed.repo, say)
  } finally {
    worker.stop()
    await worker.ended
  }
}

/** Queues a check, prints its log as it arrives, then its report, draft and needs, as `hub check` does. */
async function checked(client: HubClient, request: NewCheck, say: Say): Promise<RemoteCheck> {
  const { id } = await client.checks.create(request)
  for await (const event of client.checks.follow(id, { follow: true }))
    if (event.kind === 'log') say(`  | ${event.line}`)
  const check = await client.checks.get(id)
  for (const line of checkText(check).trimEnd().split('\n')) say(`  ${line}`)
  if (check.status !== 'succeeded') throw new Error(`The check is ${check.status}: ${check.error ?? 'no reason given'}`)
  return check
}

/** The published card, as anyone reads it. */
async function showCard(hub: ThrowawayHub, repo: string, say: Say): Promise<void> {
  const address = `${hub.url}/v1/robots/${repo}/card`
  const response = await fetch(address)
  if (!response.ok) throw new Error(`${address} answered ${response.status}.`)
  const card = (await response.json()) as {
    readonly mjcf_path: string
    readonly interface_fingerprint: string
    readonly interface: Readonly<Record<string, unknown>>
  }
  say(`  published: ${address}`)
  say(`  model ${card.mjcf_path}, interface ${card.interface_fingerprint.slice(0, 12)}`)
  for (const member of ['base', 'joint_order', 'default_pose', 'control_rate_hz', 'action'])
    say(`  ${member.padEnd(16)} ${JSON.stringify(card.interface[member])}`)
}
