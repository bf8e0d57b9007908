/** `hub data check`: what is wrong with a data set of LeRobot or MCAP, in a folder or a repo, and where. */
import { open, readdir, stat } from 'node:fs/promises'
import { join, resolve, sep } from 'node:path'
import { type HubClient, LocalError, repoRanges } from '@hub/client/internal'
import type { DatasetFiles } from '@hub/dataset/dataset-files'
import type { Command } from 'commander'
import type { ClientIo } from './client-output.ts'
import { type CommandResult, type CommonOptions, common, repoName, runCommand } from './client-session.ts'
import { commandGroup } from './command-group.ts'
import { registerFilmCommand } from './data-film-command.ts'
import { checkOnHub, showReport } from './data-on-hub.ts'
import { dataText, hasError } from './data-output.ts'
import { registerSelectCommand } from './data-select-command.ts'
import { episodeProgress } from './episode-progress.ts'
import { jointLimitsOf } from './joint-limits.ts'
import { hubExamples, inV1Names } from './output.ts'

const help = `
Reads meta/info.json, tables and the frame lists of videos (LeRobot v2.0, v2.1, v3.0), of a repo by ranges. Each fault
is reported at its episode and frame: gaps, times, clocks, joints, statistics, lengths, files. Nothing is changed.
Without meta/info.json each .mcap file is an episode: its joints and their times are checked, its pictures are not.

--robot takes the limits of joints from the card of a robot, by their names: radians and metres. --degrees compares
hinges in degrees, and leaves joints that slide in metres: the model file of the card says which are which. Joints that
the card does not name are not compared.

--on-hub has a worker of the repo's owner do it (hub check-worker): its report stands on the repo, for everyone who sees
it, and hub data report shows it. Commits that bring a meta/info.json begin such a check by themselves. The limits are
those of the robot that a kept map leads to (hub map put).

It exits with 1 if there is an error; warnings (dead joints, jumps, equal episodes) are for a person to look at.
${hubExamples('data check recordings/pick-cube', 'data check ada/pick-cube --robot ada/so100 --degrees', 'data check ada/pick-cube --on-hub', 'data check ada/pick-cube --json')}`

const reportHelp = `
It exits with 1 if there is an error, and with 4 if no worker has checked the data set yet: ask for that with
hub data check OWNER/REPO --on-hub.
${hubExamples('data report ada/pick-cube')}`

interface DataOptions extends CommonOptions {
  readonly robot?: string
  readonly at?: string
  readonly degrees?: boolean
  readonly onHub?: boolean
}

/** Adds the group to the `hub` program. */
export function registerDataCommands(program: Command, io: ClientIo): void {
  const data = commandGroup(program, 'data', 'Check data sets, select their episodes, and film them')
  common(data.command('check <what>').description('Check a data set in a folder or a repo, and say what is wrong'), io)
    .option('--robot <repo>', 'robot whose card has the limits of the joints')
    .option('--degrees', 'hinges of the data set are in degrees')
    .option('--at <version>', 'of a repo: a change number, a time or a snapshot (default: as it is now)')
    .option('--on-hub', "have a worker of the repo's owner check it, and wait for its report")
    .addHelpText('after', help)
    .action((what: string, options: DataOptions) => {
      const json = options.json ?? program.opts<CommonOptions>().json
      return runCommand(io, { ...options, json }, (client) =>
        options.onHub ? checkOnHub(io, client, what, options) : check(io, client, what, options),
      )
    })
  common(data.command('report <repo>').description("Show what a worker's last check of a data set found"), io)
    .addHelpText('after', reportHelp)
    .action((repo: string, options: CommonOptions) => {
      const json = options.json ?? program.opts<CommonOptions>().json
      return runCommand(io, { ...options, json }, (client) => showReport(client, repo))
    })
  registerSelectCommand(data, program, io)
  registerFilmCommand(data, program, io)
}

async function check(io: ClientIo, client: HubClient, what: string, options: DataOptions): Promise<CommandResult> {
  if (options.degrees && options.robot === undefined)
    throw new LocalError('--degrees is for the limits of --robot: name a robot, or leave it out.')
  const { checkDataset } = await import('@hub/dataset/check-dataset')
  const folder = resolve(io.cwd, what)
  const isFolder = (await stat(folder).catch(() => null))?.isDirectory() ?? false
  if (!isFolder && !/^[^/]+\/[^/]+$/.test(what)) throw new LocalError(`${what} is neither a folder nor a repo.`)
  if (isFolder && options.at !== undefined) throw new LocalError('--at is for a repo: leave it out for a folder.')
  const limits =
    options.robot === undefined ? undefined : await jointLimitsOf(client, options.robot, options.degrees ?? false)
  const files = isFolder ? await folderFiles(folder) : await repoRanges(client, repoName(what), options.at)
  const report = await checkDataset(files, { limits, signal: client.signal, onEpisode: episodeProgress(io, 'checked') })
  return { json: inV1Names(report), text: dataText(what, report), code: hasError(report) ? 1 : 0 }
}

/** Every file below a folder; links are followed, as in a cache of downloads. */
async function folderFiles(folder: string): Promise<DatasetFiles> {
  const sizes = new Map<string, number>()
  for (const name of await readdir(folder, { recursive: true })) {
    const found = await stat(join(folder, name)).catch(() => null)
    if (found?.isFile()) sizes.set(name.split(sep).join('/'), found.size)
  }
  return {
    sizes,
    async read(path, start, end) {
      const file = await open(join(folder, path))
      try {
        const bytes = new Uint8Array(end - start)
        const { bytesRead } = await file.read(bytes, 0, bytes.length, start)
        if (bytesRead < bytes.length) throw new LocalError(`${path} changed while it was read.`)
        return bytes.buffer
      } finally {
        await file.close()
      }
    },
  }
}
