/** `hub data film`: a picture and a short video of an episode on its robot, or of a recorded rollout. */
import { access, rename, rm, writeFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import { type HubClient, LocalError } from '@hub/client/internal'
import { pagePath } from '@hub/formats/page-paths'
import { type Command, Option } from 'commander'
import { type ClientIo, sizeText } from './client-output.ts'
import { type CommandResult, type CommonOptions, common, pathOf, runCommand, wholeFrom } from './client-session.ts'
import type { ClientSettings } from './client-settings.ts'
import { deleteFilm, filmOnHub, listFilms } from './film-on-hub.ts'
import { assertInstalled, fromWorker } from './optional-packages.ts'
import { hubExamples } from './output.ts'
import { inLine } from './terminal.ts'

const help = `
A browser without a window opens the page of the episode, and saves what the page's own buttons save: the robot at a
frame as a PNG, and with --video the episode, at most its first minute, as a WebM, at its speed. The robot is --robot,
else the one that meta/info.json names; a recording in MCAP needs --robot. Both files are new. Push them into a repo,
and a README shows them.

With --on-hub a worker makes it (hub check-worker), 640 points wide and a video of ten seconds at most, and it stands on
the data set: the page shows it, and a link to the episode unfolds with it. The address that is printed stays, until
--delete takes the film away: hub data films lists them. One that waits or is being made is canceled by that.

With --rollout the repo is a model, and --episode a seed whose motion this result keeps (hub rollout --publish). A
worker films it as it was recorded, on the robot of the result, and the film stands on the model.

Otherwise it needs a Chromium: the one in PATH, or HUB_CHROMIUM; and playwright-core, the command says how to install
it.
${hubExamples(
  'data film ada/pick-cube --frame 40 --still lift.png',
  'data film ada/pick-cube --episode 3 --robot ada/so100 --still three.png --video three.webm',
  'data film ada/pick-cube --episode 3 --frame 40 --on-hub still',
  'data film ada/walker --rollout roll_01m812yvrpextatj8nx4n20001 --episode 3 --on-hub video',
  'data film ada/pick-cube --delete film_01m812yvrpextatj8nx4n20001',
)}`

const listHelp = `
Each with its state, and the address of one that is there. A data set keeps the last hundred, and so does a model, of
recorded rollouts.
${hubExamples('data films ada/pick-cube', 'data films ada/pick-cube --episode 3 --json')}`

interface FilmOptions extends CommonOptions {
  readonly episode: number
  readonly frame: number
  readonly robot?: string
  readonly rollout?: string
  readonly still?: string
  readonly video?: string
  readonly onHub?: 'still' | 'video'
  readonly delete?: string
}

interface ListOptions extends CommonOptions {
  readonly episode?: number
  readonly rollout?: string
}

/** Adds the commands to `hub data`. */
export function registerFilmCommand(data: Command, program: Command, io: ClientIo): void {
  common(data.command('film <repo>').description('Make a picture and a video of an episode on its robot'), io)
    .option('--still <file>', 'file of the picture, a PNG')
    .option('--video <file>', 'file of a video of the episode')
    .addOption(
      new Option('--on-hub <kind>', 'have a worker make it, and print its address').choices(['still', 'video']),
    )
    .option('--delete <film>', 'delete a film that a worker made, or cancel one that is not made yet, instead')
    .option('--episode <number>', 'which episode; with --rollout, which seed', wholeFrom(0), 0)
    .option('--frame <number>', 'frame of the picture', wholeFrom(0), 0)
    .option('--robot <repo>', 'robot that moves (default: the one that meta/info.json names)')
    .option('--rollout <result>', 'with --on-hub: id of a result of the model, which keeps the motion of the seed')
    .addHelpText('after', help)
    .action((repo: string, options: FilmOptions) => {
      const json = options.json ?? program.opts<CommonOptions>().json
      return runCommand(io, { ...options, json }, (client, settings) => {
        const { onHub, still, video, rollout, robot, delete: id } = options
        if (id !== undefined) {
          const other = onHub ?? still ?? video
          if (other) throw new LocalError('--delete takes a film away: leave out --on-hub, --still and --video.')
          return deleteFilm(client, repo, id)
        }
        if (rollout !== undefined && onHub === undefined)
          throw new LocalError('A worker films a recorded rollout: give --on-hub still or --on-hub video.')
        if (rollout !== undefined && robot !== undefined)
          throw new LocalError('A result has its robot: leave out --robot.')
        if (onHub === undefined) return film(io, client, settings, { repo, options })
        if (still ?? video)
          throw new LocalError('--still and --video are for films of this machine; leave out --on-hub.')
        return filmOnHub(io, client, repo, { ...options, kind: onHub })
      })
    })
  common(data.command('films <repo>').description('List the pictures and videos that workers made of episodes'), io)
    .option('--episode <number>', 'only those of this episode, or this seed', wholeFrom(0))
    .option('--rollout <result>', 'only those of motions that this result keeps')
    .addHelpText('after', listHelp)
    .action((repo: string, options: ListOptions) => {
      const json = options.json ?? program.opts<CommonOptions>().json
      return runCommand(io, { ...options, json }, (client) => listFilms(client, repo, options))
    })
}

async function film(
  io: ClientIo,
  client: HubClient,
  { url: hub, token }: ClientSettings,
  { repo, options }: { readonly repo: string; readonly options: FilmOptions },
): Promise<CommandResult> {
  const { episode, frame, robot, still, video } = options
  if (still === undefined) throw new LocalError('Name the file of the picture with --still, or a kind with --on-hub.')
  const names = [still, ...(video === undefined ? [] : [video])]
  const places = names.map((name) => resolve(io.cwd, name))
  if (new Set(places).size < places.length) throw new LocalError('--still and --video name the same file.')
  for (const [at, place] of places.entries()) await assertNew(place, names[at] ?? '')
  const { findChromium } = await fromWorker('check-worker', () => import('@hub/check-worker/stills/find-chromium'))
  const { CannotFilm, filmEpisode } = await fromWorker(
    'check-worker',
    () => import('@hub/check-worker/film/film-episode'),
  )
  const chromium = await findChromium(io.env.HUB_CHROMIUM, io.env.PATH)
  if ('missing' in chromium) throw new LocalError(chromium.missing)
  assertInstalled('data film', 'playwright-core')
  const query = new URLSearchParams({ episode: String(episode), frame: String(frame), ...(robot && { robot }) })
  const path = `${pagePath('repoEpisodes', pathOf(repo))}?${query}`
  const request = { program: chromium.program, hub, token, path, frame, video: video !== undefined }
  const made = await filmEpisode({ ...request, signal: client.signal }).catch((error: unknown) => {
    throw error instanceof CannotFilm ? new LocalError(error.message) : error
  })
  const parts = [made.still, made.video].filter((bytes) => bytes !== null)
  const saved = []
  for (const [at, bytes] of parts.entries()) {
    await save(places[at] ?? '', names[at] ?? '', bytes)
    saved.push({ file: names[at], bytes: bytes.length })
  }
  const text = saved.map(({ file, bytes }) => `${inLine(`${file}: ${sizeText(bytes)}`)}\n`).join('')
  return { json: { repo, episode, frame, page: new URL(path, hub).href, saved }, text }
}

async function assertNew(place: string, name: string): Promise<void> {
  const isThere = await access(place).then(
    () => true,
    () => false,
  )
  if (isThere) throw new LocalError(`${name} exists already: name another file, or remove it.`)
}

/** Whole or not at all. */
async function save(place: string, name: string, bytes: Uint8Array): Promise<void> {
  const partial = `${place}.partial`
  try {
    await writeFile(partial, bytes)
    await assertNew(place, name)
    await rename(partial, place)
  } finally {
    await rm(partial, { force: true })
  }
}
