/** What `wandb.json`, `config.yaml` and `summary.json` of a run folder become. */
import { readFileSync, writeFileSync } from 'node:fs'
import { type HubClient, ProblemError } from '@hub/client/internal'
import type { RunReport } from '@hub/client/run-shapes'
import type { Reporter } from '@hub/runner/send-report'
import { type ConfigSeen, sendConfig } from '@hub/runner/send-run-files'
import { expect, it } from 'vitest'
import { wordSender } from '../src/run-words.ts'
import { summarySource } from '../src/sources/summary-source.ts'
import { objectOf, openSpool } from '../src/spool.ts'
import { trackLab } from './track-lab.ts'

const lab = trackLab()
const { journalOf, logLine } = lab

/** A hub that refuses tags. */
function hub() {
  const told: unknown[] = []
  const updateRun = async ({ body }: { readonly body: Record<string, unknown> }) => {
    if ('tags' in body) throw new ProblemError(422, { type: 'validation.value', detail: 'Too many tags.' }, null)
    told.push(body)
  }
  return { told, client: { v1: { updateRun } } as unknown as HubClient }
}

it('says the words of wandb.json once, those that change again, and none that the command line has', async () => {
  const { told, client } = hub()
  const journal = journalOf({ name: 'of the person' })
  const words = wordSender({ client, files: lab.files, journal, logLine })
  writeFileSync(lab.files.words, '{"project": "half')
  await words.send(false)
  writeFileSync(lab.files.words, '{"id":"x","name":"of the script","project":"walk","group":null,"notes":7}')
  await words.send(false)
  await words.send(true)
  writeFileSync(lab.files.words, '{"project":"walk","group":"a longer group"}')
  await wordSender({ client, files: lab.files, journal, logLine }).send(false)
  expect(told).toEqual([{ project: 'walk' }, { group: 'a longer group' }])
})

it('names the run that the wandb id was before as the parent, unless the command line names one', async () => {
  const { told, client } = hub()
  writeFileSync(lab.files.words, '{"id":"x","parent_run_id":"run_before"}')
  for (const said of [{}, { parent_run_id: 'run_of_the_person' }])
    await wordSender({ client, files: lab.files, journal: journalOf(said), logLine }).send(false)
  expect(told).toEqual([{ parent_run_id: 'run_before' }])
})

it('keeps the other words where the hub refuses one, and says so once', async () => {
  const { told, client } = hub()
  const words = wordSender({ client, files: lab.files, journal: journalOf({}), logLine })
  writeFileSync(lab.files.words, '{"project":"walk","tags":["a"]}')
  await words.send(false)
  await words.send(true)
  expect(told).toEqual([{ project: 'walk' }])
  expect(lab.said).toEqual(['tags of wandb.json is not kept: HTTP 422: Too many tags'])
})

it('sends config.yaml again once it has changed and stays so', async () => {
  const sent: RunReport[] = []
  const reporter = { post: async (report: RunReport) => sent.push(report) } as unknown as Reporter
  const journal = journalOf({})
  let before: ConfigSeen | null = null
  const round = async (isFinal: boolean) => {
    before = await sendConfig({ reporter, files: lab.files, journal, before, isFinal, logLine })
  }
  writeFileSync(lab.files.config, 'lr: 1\n')
  for (let times = 0; times < 3; times += 1) await round(false)
  writeFileSync(lab.files.config, 'lr: 1\nsteps: 2\n')
  await round(false)
  expect(sent).toEqual([{ config_yaml: 'lr: 1\n' }])
  await round(true)
  await round(true)
  expect(sent).toEqual([{ config_yaml: 'lr: 1\n' }, { config_yaml: 'lr: 1\nsteps: 2\n' }])
})

it('sends config.yaml again at the end where a full quota had no room for it before', async () => {
  const told: string[] = []
  let isFull = true
  const full = { type: '/problems/quota.storage', title: 'Storage quota exceeded', detail: 'No room.' }
  const post = async (report: RunReport) => {
    told.push(isFull ? 'refused' : String(report.config_yaml))
    if (isFull) throw new ProblemError(413, full, null)
  }
  const journal = journalOf({})
  let before: ConfigSeen | null = null
  const round = async (isFinal: boolean) => {
    const reporter = { post } as unknown as Reporter
    before = await sendConfig({ reporter, files: lab.files, journal, before, isFinal, logLine })
  }
  writeFileSync(lab.files.config, 'lr: 1\n')
  for (let times = 0; times < 4; times += 1) await round(false)
  expect([told, lab.said]).toEqual([
    ['refused'],
    ['config.yaml waits for the end of the run: Storage quota exceeded: No room.'],
  ])
  isFull = false
  await round(true)
  expect([told, journal.state.unsent]).toEqual([['refused', 'lr: 1\n'], false])
})

it('makes summary.json one last line below summary/, with its numbers as they are written', async () => {
  const spool = openSpool(lab.files.spool)
  const source = summarySource({ file: lab.files.summary, spool, logLine })
  writeFileSync(lab.files.summary, '{"best":{"loss":0.10},"note":"x"}')
  await source.poll(false)
  await source.poll(true)
  // As after a kill that came before the end was reported.
  await source.poll(true)
  spool.close()
  const lines = readFileSync(lab.files.spool, 'utf8').split('\n').map(objectOf)
  expect(lines.filter((line) => line !== '')).toEqual(['{"summary/best/loss":0.10,"summary/note":"x"}'])
})

it('says of a summary.json that is none', async () => {
  const spool = openSpool(lab.files.spool)
  writeFileSync(lab.files.summary, '[1]')
  await summarySource({ file: lab.files.summary, spool, logLine }).poll(true)
  spool.close()
  expect(lab.said).toEqual(['summary.json is left out: it must be a JSON object'])
})
