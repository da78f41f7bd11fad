import { required } from './settings.ts'

/** The work of an item: one request to the site, which appends the item's number to the list of its agent. */
export async function append(item: { agent: string; number: number }): Promise<void> {
  const response = await fetch(`${required('SITE')}/append`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ agent: item.agent, number: item.number }),
  })
  await response.arrayBuffer()
  if (!response.ok) throw new Error(`the site answered ${response.status}`)
}
