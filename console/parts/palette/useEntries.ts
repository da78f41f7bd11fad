import { useQuery, useSuspenseQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { to } from '../../addresses.ts'
import { api } from '../../api/client.ts'
import { problemOf } from '../../api/problem.ts'
import { notify } from '../../design/notices.ts'
import { agentsQuery } from '../../lists/agents.ts'
import { placesOf } from '../../places.ts'
import { accountQuery, ownersOf, workspacesQuery } from '../../session/account.ts'
import { signOut } from '../../session/sign-in.ts'
import type { Owner } from '../../session/workspace.ts'
import { showShortcutList } from '../shortcut-setting.ts'
import type { Entry } from './matching.ts'

/** Lists are read when the palette opens, once in half a minute at most; typing reads nothing. */
const staleTime = 30_000

/** All that the palette knows by name. */
export function useEntries(owner: Owner): Entry[] {
  return [...usePages(owner), ...useActions(owner), ...useThings(owner), ...useWorkspaces(owner)]
}

function usePages({ address }: Owner): Entry[] {
  const navigate = useNavigate()
  return placesOf(address).map(({ name, keys, link }) => ({
    id: `page ${name}`,
    group: 'Pages',
    name,
    beside: keys,
    run: () => void navigate(link),
  }))
}

function useActions(owner: Owner): Entry[] {
  const navigate = useNavigate()
  const leave = async () => {
    await signOut()
    await navigate(to.signIn())
  }
  const group = 'Actions'
  const building: Entry[] = [
    { id: 'create', group, name: 'Create agent', run: () => void navigate(to.createAgent(owner.address)) },
    { id: 'connect', group, name: 'Connect a site', run: () => void navigate(to.connect(owner.address)) },
    { id: 'start', group, name: 'Start from a template', run: () => void navigate(to.start(owner.address)) },
  ]
  return [
    ...(owner.may('build') ? building : []),
    { id: 'keys', group, name: 'Show the keyboard shortcuts', run: () => showShortcutList(true) },
    { id: 'guide', group, name: 'Open the guide', run: () => void window.open('/docs', '_blank', 'noopener') },
    {
      id: 'out',
      group,
      name: 'Sign out',
      run: () => void leave().catch((error: unknown) => notify('problem', problemOf(error).sentence)),
    },
  ]
}

function useThings({ address, query: owner }: Owner): Entry[] {
  const navigate = useNavigate()
  const { data: agents } = useQuery(agentsQuery(owner))
  const { data: sites } = useQuery(
    api.queryOptions('get', '/vault', { params: { query: { ...owner, limit: 100 } } }, { staleTime }),
  )
  const { data: runs } = useQuery(
    api.queryOptions('get', '/runs', { params: { query: { ...owner, limit: 50 } } }, { staleTime }),
  )
  return [
    ...[...(agents?.values() ?? [])].map(({ id, name }) => ({
      id: `agent ${id}`,
      group: 'Agents',
      name,
      run: () => void navigate(to.agent(address, id)),
    })),
    ...(sites?.items ?? []).map(({ id, name, origin }) => ({
      id: `site ${id}`,
      group: 'Sites',
      name,
      beside: origin,
      run: () => void navigate(to.site(address, id)),
    })),
    ...(runs?.items ?? []).map(({ id, agentId, sequence, status }) => ({
      id: `run ${id}`,
      group: 'Latest runs',
      name: `${agents?.get(agentId)?.name ?? 'Run'} #${sequence}`,
      beside: status,
      run: () => void navigate(to.run(address, id)),
    })),
  ]
}

function useWorkspaces({ address }: Owner): Entry[] {
  const navigate = useNavigate()
  const account = useSuspenseQuery(accountQuery).data
  const workspaces = useSuspenseQuery(workspacesQuery).data
  return ownersOf(account, workspaces)
    .filter(({ id }) => id !== address)
    .map(({ id, name }) => ({
      id: `workspace ${id}`,
      group: 'Workspaces',
      name: `Switch to ${name}`,
      run: () => void navigate(to.home(id)),
    }))
}
