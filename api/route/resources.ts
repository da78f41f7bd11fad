import { ownersIn } from '../../src/owners/reach.ts'
import type { Services } from '../../src/services.ts'
import type { Caller } from '../../src/users/caller.ts'

/* The things that paths name. Unless the caller may see one: AGENT_, RUN_ or WORKSPACE_NOT_FOUND, or NOT_FOUND. */

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

export const documentNamed = ({ services, caller, params }: Asked<'documentId'>) =>
  services.documents.get(ownersIn(caller.reach), params.documentId)

export const workspaceNamed = ({ services, caller, params }: Asked<'workspaceId'>) =>
  services.workspaces.get(caller.reach, params.workspaceId)
