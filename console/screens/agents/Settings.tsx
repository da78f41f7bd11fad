import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { client, type Api } from '../../api/client.ts'
import { Button } from '../../design/Button.tsx'
import { notify } from '../../design/notices.ts'
import { Curl } from '../../parts/Curl.tsx'
import { Empty } from '../../parts/Empty.tsx'
import { useOwner, type Owner } from '../../session/workspace.ts'
import { DeleteAgent } from './DeleteAgent.tsx'
import { AgentForm } from './form/AgentForm.tsx'
import { changesOf, draftOf, type Draft } from './form/draft.ts'
import { KeepDialog } from './form/KeepDialog.tsx'
import { agentQuery, useAgent } from './useAgent.ts'

/** The settings of an agent. Only what was changed here is sent. */
export const Page = () => {
  const agent = useAgent()
  const owner = useOwner()
  if (!owner.may('build')) return <Empty title="Your role may not change agents" />
  return <Settings agent={agent} owner={owner} />
}

const readDraft = (agent: Api['Agent']): Draft => draftOf(agent, Intl.DateTimeFormat().resolvedOptions().timeZone)

const Settings = ({ agent, owner }: { agent: Api['Agent']; owner: Owner }) => {
  const queries = useQueryClient()
  const [base, setBase] = useState(() => readDraft(agent))
  const [draft, setDraft] = useState(base)
  const isChanged = draft !== base
  const saving = useMutation({
    async mutationFn(typed: Draft) {
      const params = { path: { agentId: agent.id } }
      const { data, error } = await client.PATCH('/agents/{agentId}', { params, body: changesOf(base, typed) })
      if (!data) throw error
      return { saved: data, typed }
    },
    onSuccess({ saved, typed }) {
      queries.setQueryData(agentQuery(agent.id).queryKey, saved)
      void queries.invalidateQueries({ queryKey: ['agent-list'] })
      const next = readDraft(saved)
      setBase(next)
      // What was typed while the request was under way is not saved yet.
      setDraft((current) => (current === typed ? next : current))
      notify('done', 'The agent is saved. Runs that have started keep their prompt.')
    },
  })
  return (
    <>
      <AgentForm
        owner={owner}
        draft={draft}
        error={saving.error}
        sent={saving.variables}
        busy={saving.isPending}
        verb="Save changes"
        onChange={setDraft}
        onSave={() => saving.mutate(draft)}
      >
        <Curl action={{ method: 'PATCH', path: `/agents/${agent.id}`, body: changesOf(base, draft) }} />
        {isChanged && <Button onPress={() => setDraft(base)}>Discard changes</Button>}
      </AgentForm>
      <DeleteAgent agent={agent} />
      <KeepDialog isChanged={isChanged} />
    </>
  )
}
