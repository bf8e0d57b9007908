/** What the hub says of a link that works once. */

export interface ShownLink {
  readonly kind: 'setup' | 'invitation' | 'reset'
  readonly handle: string | null
  readonly org: string | null
  readonly role: 'owner' | 'member' | null
  readonly expiresAt: string
}

const kinds: readonly unknown[] = ['setup', 'invitation', 'reset']

/** Whether an answer is one. */
export const isShownLink = (value: unknown): value is ShownLink =>
  typeof value === 'object' && value !== null && 'kind' in value && kinds.includes(value.kind) && 'expiresAt' in value

/** What it is for, as a title. */
export function titleOfLink({ kind, handle, org, role }: ShownLink): string {
  if (kind === 'setup') return `Choose how ${handle} signs in`
  if (kind === 'reset') return `Choose a new way for ${handle} to sign in`
  if (org === null) return 'You are invited to this hub'
  return `You are invited to ${org} as ${role === 'owner' ? 'an owner' : 'a member'}`
}
