#!/usr/bin/env node
/**
 * The one file of the package's command. It is also the program of the processes and the thread that commands start,
 * which know their part by its name.
 */
import { isMainThread } from 'node:worker_threads'
import { startedPart } from '@hub/runner/worker/own-program'
import { collectRarely } from './collect-rarely.ts'

switch (startedPart(process, !isMainThread)) {
  case 'reading-child':
    await import('@hub/mjcf/processes/reading-child')
    break
  case 'engine-child':
    await import('@hub/check-worker/engine/engine-child')
    break
  case 'model-thread':
    await import('@hub/policy-server/model/model-thread')
    break
  case 'rollout-child':
    await import('@hub/rollout/processes/rollout-child')
    break
  default:
    collectRarely()
    await (await import('./command.ts')).run()
}
