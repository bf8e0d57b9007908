/** Pure. */

/** Of a full name, `owner/repo`; a part that it lacks is empty. */
export function repoParts(fullName: string): { readonly owner: string; readonly repo: string } {
  const [owner = '', repo = ''] = fullName.split('/')
  return { owner, repo }
}
