/** The operator's command for the sums of storage. */
import type { Command } from 'commander'
import type { ClientIo } from 'hub/client-output'
import { commandGroup } from 'hub/command-group'
import { examples, inV1Names } from 'hub/output'
import { inLine, print, printJson } from 'hub/terminal'
import type { WrongSum } from '../deployment/recount-storage.ts'
import { onDeployment } from './on-deployment.ts'

interface RecountCommandOptions {
  readonly dryRun?: boolean
  readonly json?: boolean
}

/** Adds `storage recount`. */
export function registerStorageCommands(program: Command, io: ClientIo): void {
  commandGroup(program, 'storage', 'Check the sums of what accounts store')
    .command('recount')
    .argument('[handles...]', 'users and orgs; without any, all')
    .option('--dry-run', 'only say what differs; exit code 1 if something does')
    .description('Check the sums of storage of accounts and their repos by counting again, and mend each that differs')
    .option('--json', 'print one JSON object')
    .addHelpText('after', examples('storage recount --dry-run', 'storage recount ada acme', 'storage recount --json'))
    .action(async (handles: string[], { dryRun: isDry = false, json = false }: RecountCommandOptions) => {
      const items: WrongSum[] = []
      await onDeployment(io, async ({ db }, { findAccount, recountStorage }) => {
        const ownerIds: string[] = []
        for (const handle of new Set(handles)) ownerIds.push((await findAccount(db, handle)).id)
        await recountStorage(db, {
          ownerIds: handles.length > 0 ? ownerIds : null,
          isDry,
          onWrong: (wrong) => {
            items.push(...wrong)
            if (!json) print(io.stdout, wrong.map((one) => lineOf(one, isDry)).join(''))
          },
        })
      })
      if (json) printJson(io.stdout, { mended: !isDry, items: items.map(inV1Names) })
      else if (items.length === 0) print(io.stdout, 'Every sum is what its parts come to.\n')
      if (isDry && items.length > 0) io.exit(1)
    })
}

const lineOf = ({ name, sum, kept, found }: WrongSum, isDry: boolean): string =>
  `${inLine(name.padEnd(32))} ${labels[sum].padEnd(16)} ${isDry ? `is ${kept}, should be ${found}` : `was ${kept}, is ${found}`}\n`

const labels: Readonly<Record<WrongSum['sum'], string>> = {
  files: 'files',
  verified: 'verified files',
  liveBytes: 'bytes of files',
  snapshotBytes: 'snapshot bytes',
  filmBytes: 'film bytes',
  storageBytes: 'stored bytes',
  reservedBytes: 'reserved bytes',
  pendingUploads: 'pending uploads',
}
