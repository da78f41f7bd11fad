import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { to } from '../../addresses.ts'
import { client, type Api } from '../../api/client.ts'
import { Button } from '../../design/Button.tsx'
import { Dialog, DialogButtons } from '../../design/Dialog.tsx'
import { notify } from '../../design/notices.ts'
import { Curl } from '../../parts/Curl.tsx'
import { ErrorBox } from '../../parts/ErrorBox.tsx'
import { shownText } from '../../parts/shown-text.ts'
import { useOwner } from '../../session/workspace.ts'
import styles from './Agents.module.css'

/** Deletes an agent, after a question that says what ends. */
export const DeleteAgent = ({ agent }: { agent: Api['Agent'] }) => {
  const [isAsking, setAsking] = useState(false)
  return (
    <section className={styles.section} aria-labelledby="delete">
      <h2 id="delete">Delete the agent</h2>
      <div>
        <Button kind="danger" onPress={() => setAsking(true)}>
          Delete agent
        </Button>
      </div>
      {isAsking && <Ask agent={agent} onClose={() => setAsking(false)} />}
    </section>
  )
}

const Ask = ({ agent, onClose }: { agent: Api['Agent']; onClose: () => void }) => {
  const owner = useOwner()
  const navigate = useNavigate()
  const queries = useQueryClient()
  const name = shownText(agent.name)
  const deleting = useMutation({
    async mutationFn() {
      const { error } = await client.DELETE('/agents/{agentId}', { params: { path: { agentId: agent.id } } })
      if (error) throw error
      notify('done', `“${name}” is deleted.`)
      await navigate({ ...to.agents(owner.address), ignoreBlocker: true })
      await queries.invalidateQueries()
    },
  })
  return (
    <Dialog title={`Delete ${name}?`} isOpen onClose={onClose}>
      <p>
        Runs that have not ended are cancelled, {agent.trigger === 'webhook' && 'later deliveries are refused, '}and its
        versions are deleted. The history of its runs stays. This cannot be undone.
      </p>
      {deleting.error && <ErrorBox error={deleting.error} />}
      <DialogButtons>
        <Curl action={{ method: 'DELETE', path: `/agents/${agent.id}` }} />
        <Button onPress={onClose}>Keep the agent</Button>
        <Button kind="danger" busy={deleting.isPending} onPress={() => deleting.mutate()}>
          Delete agent
        </Button>
      </DialogButtons>
    </Dialog>
  )
}
