/** A whole listing of `/v1`, page by page. */
import { assertStatus } from '../load/actor.ts'
import type { Client, Json } from '../load/client.ts'

export async function everyItem(
  client: Client,
  path: string,
  query: Readonly<Record<string, string>> = {},
): Promise<Json[]> {
  const items: Json[] = []
  for (let cursor: string | null = null; ; ) {
    const asked = new URLSearchParams({ ...query, limit: '100', ...(cursor === null ? {} : { cursor }) })
    const page = await client.ask('GET', `${path}?${asked}`)
    assertStatus(`GET ${path}`, page, 200)
    items.push(...page.json.items)
    cursor = page.json.next_cursor
    if (!cursor) return items
  }
}
