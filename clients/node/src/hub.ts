#!/usr/bin/env node
/** The one file of the package's command. It is also the program of the processes and the thread that commands start, which know their part by its name. */
import './later-apis.ts'
import { isMainThread } from 'node:worker_threads'
import { startedPart } from '../../../src/platform/own-program.ts'

switch (startedPart(process, !isMainThread)) {
  case 'reading-child':
    await import('../../../src/models/reader/reading-child.ts')
    break
  case 'engine-child':
    await import('../../../src/check-worker/engine/engine-child.ts')
    break
  case 'model-thread':
    await import('../../../src/policy-server/model/model-thread.ts')
    break
  default:
    await (await import('./command.ts')).run()
}
