import { useQuery, useSuspenseQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { to } from '../../addresses.ts'
import { api } from '../../api/client.ts'
import { accountQuery, addressOf } from '../../session/account.ts'
import { idIn, type Entry } from './matching.ts'

const group = 'With this id'
const how = { retry: false, staleTime: 10_000 }

/** What has the pasted id, in any workspace that the reader sees. Ids are long, so nothing is read while one is typed. */
export function useFound(typed: string): { entries: Entry[]; isReading: boolean } {
  const navigate = useNavigate()
  const account = useSuspenseQuery(accountQuery).data
  const id = idIn(typed)
  const enabled = id !== undefined
  const run = useQuery({
    ...api.queryOptions('get', '/runs/{runId}', { params: { path: { runId: id ?? '' } } }, how),
    enabled,
  })
  const agent = useQuery({
    ...api.queryOptions('get', '/agents/{agentId}', { params: { path: { agentId: id ?? '' } } }, how),
    enabled,
  })
  const site = useQuery({
    ...api.queryOptions('get', '/vault/{entryId}', { params: { path: { entryId: id ?? '' } } }, how),
    enabled,
  })
  const placeOf = (thing: { ownerId: string }) => addressOf(thing.ownerId, account)
  const entries = [
    ...(run.data
      ? [{ ...found('run', run.data.id), beside: run.data.status, link: to.run(placeOf(run.data), run.data.id) }]
      : []),
    ...(agent.data ? [{ ...found('agent', agent.data.name), link: to.agent(placeOf(agent.data), agent.data.id) }] : []),
    ...(site.data ? [{ ...found('site', site.data.name), link: to.site(placeOf(site.data), site.data.id) }] : []),
  ].map(({ link, ...entry }) => ({ ...entry, run: () => void navigate(link) }))
  return { entries: enabled ? entries : [], isReading: [run, agent, site].some(({ isLoading }) => isLoading) }
}

const found = (kind: string, name: string) => ({ id: `found ${kind}`, group, name: `Open the ${kind} ${name}` })
