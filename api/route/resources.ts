import { ownersIn } from '../../src/owners/reach.ts'
import type { Services } from '../../src/services.ts'
import type { Caller } from '../../src/users/caller.ts'

/* What paths name, if the caller may see it: AGENT_NOT_FOUND, RUN_NOT_FOUND, NOT_FOUND, WORKSPACE_NOT_FOUND. */

interface Asked<Name extends string> {
  services: Services
  caller: Pick<Caller, 'reach'>
  params: Record<Name, string>
}

export const agentNamed = ({ services, caller, params }: Asked<'agentId'>) =>
  services.agents.get(ownersIn(caller.reach), params.agentId)

export const runNamed = ({ services, caller, params }: Asked<'runId'>) =>
  services.runs.reading.get(ownersIn(caller.reach), params.runId)

export const entryNamed = ({ services, caller, params }: Asked<'entryId'>) =>
  services.vault.get(ownersIn(caller.reach), params.entryId)

export const workspaceNamed = ({ services, caller, params }: Asked<'workspaceId'>) =>
  services.workspaces.get(caller.reach, params.workspaceId)
