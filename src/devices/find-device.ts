/** The device that a verb is about. */

import { isId } from '@hub/formats/ids'
import { deviceVisibleWhere } from '../auth/device-policy.ts'
import type { RequestContext } from '../operation/context.ts'
import { notFound } from '../platform/errors.ts'

/** The facts about a device that verbs need. */
export interface DeviceFacts {
  readonly id: string
  readonly ownerId: string
  readonly name: string
}

/** 404 for a device that the caller cannot see. */
export async function findDevice(ctx: RequestContext, id: string): Promise<DeviceFacts> {
  const select = { id: true, ownerId: true, name: true } as const
  const where = { id, ...deviceVisibleWhere(ctx.viewer) }
  const device = isId('dev', id) ? await ctx.deps.db.prisma.device.findFirst({ select, where }) : null
  if (!device) throw notFound(`The device ${id.slice(0, 64)}`)
  return device
}
