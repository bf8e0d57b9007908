/** `hub backup`: create, verify, restore. They work directly on the deployment, whether or not its hub is running. */

import { type Command, Option } from 'commander'
import { examples } from 'hub/output'
import { objectModes } from '../backup/object-modes.ts'
import type { BackupIo, CreateOptions, RestoreOptions, VerifyOptions } from './backup-actions.ts'
import { ofServer } from './load-server.ts'

/** Adds `backup create`, `backup verify` and `backup restore`. */
export function registerBackupCommands(program: Command, io: BackupIo): void {
  const backup = program.command('backup').description('Back up a deployment, check backups, and restore them')
  backup
    .command('create')
    .argument('<path>', 'new folder, or new file that ends in .tar')
    .description('Copy database, secret and objects as they are at one moment; hubs may go on running')
    .addOption(
      new Option(
        '--objects <how>',
        'copy the objects; link them (same disk, costs no space); list their keys, sizes and ETags; or none ' +
          '(default: copy from a disk, list from S3)',
      ).choices(objectModes),
    )
    .option('--json', 'print one JSON object')
    .addHelpText(
      'after',
      examples(
        'backup create /backups/monday',
        'backup create /backups/monday.tar --json',
        'backup create /backups/monday --objects link',
      ),
    )
    .action(async (path: string, options: CreateOptions) =>
      (await ofServer(() => import('./backup-actions.ts'))).createAt(io, path, options),
    )

  backup
    .command('verify')
    .argument('<path>', 'folder or file of the backup')
    .description('Read every byte of a backup and compare it with its digests; needs no hub and changes nothing')
    .option('--load', 'also load the database into a temporary one, and compare all rows with the backup')
    .option('--json', 'print one JSON object')
    .addHelpText('after', examples('backup verify /backups/monday.tar', 'backup verify /backups/monday --load'))
    .action(async (path: string, options: VerifyOptions) =>
      (await ofServer(() => import('./backup-actions.ts'))).verifyAt(io, path, options),
    )

  backup
    .command('restore')
    .argument('<path>', 'folder or file of the backup')
    .description('Make this deployment (HUB_DATA_DIR, or DATABASE_URL) of a backup; no hub may be running on it')
    .option('--wipe', 'remove what the deployment has')
    .option('--yes', 'do not ask before removing it')
    .option('--json', 'print one JSON object')
    .addHelpText('after', examples('backup restore /backups/monday.tar', 'backup restore /backups/monday --wipe'))
    .action(async (path: string, options: RestoreOptions) =>
      (await ofServer(() => import('./backup-actions.ts'))).restoreFrom(io, path, options),
    )
}
