/** What people call an endpoint: its name, else what it serves. Pure. */

export interface Titled {
  readonly name: string | null
  readonly modelRepoRef: { readonly fullName: string }
  /** Null where the reader does not see the model. */
  readonly model?: { readonly modelMeta: { readonly robotName: string | null } | null } | null
}

export function endpointTitle({ name, modelRepoRef: { fullName }, model }: Titled): string {
  const robot = model?.modelMeta?.robotName
  return name ?? (robot ? `${fullName} on ${robot}` : fullName)
}
