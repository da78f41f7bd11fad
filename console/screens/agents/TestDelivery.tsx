import { useMutation } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import type { FormEvent } from 'react'
import { to } from '../../addresses.ts'
import { client, type Api } from '../../api/client.ts'
import { Button } from '../../design/Button.tsx'
import { Field } from '../../design/Field.tsx'
import { Curl } from '../../parts/Curl.tsx'
import { Empty } from '../../parts/Empty.tsx'
import { ErrorBox } from '../../parts/ErrorBox.tsx'
import { Json } from '../../parts/Json.tsx'
import { shownText } from '../../parts/shown-text.ts'
import { Badge } from '../../parts/Status.tsx'
import { useKeptText } from '../../parts/useKeptText.ts'
import { useOwner } from '../../session/workspace.ts'
import agents from './Agents.module.css'
import { payloadOf, runOf, samplePayload, verdictInWords } from './test-delivery.ts'
import { useAgent } from './useAgent.ts'

/** Sends a delivery that is signed as the sender signs, and says what came of it. */
export const Page = () => {
  const agent = useAgent()
  const owner = useOwner()
  if (agent.trigger !== 'webhook') return <Empty title="No deliveries start this agent" />
  if (!owner.may('use')) return <Empty title="Your role may not send deliveries" />
  return <Send agent={agent} />
}

const Send = ({ agent }: { agent: Api['Agent'] }) => {
  const [text, setText] = useKeptText(`test delivery ${agent.id}`, samplePayload(agent.webhookSchema))
  const body = payloadOf(text)
  const sending = useMutation({
    async mutationFn(given: { payload: unknown }) {
      const params = { path: { agentId: agent.id } }
      const sent = given as Api['SendTestDeliveryRequest']
      const { data, error } = await client.POST('/agents/{agentId}/test-deliveries', { params, body: sent })
      if (!data) throw error
      return data
    },
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (body && !sending.isPending) sending.mutate(body)
  }
  return (
    <>
      <form className={agents.section} onSubmit={submit}>
        <Field
          label="Payload"
          hint="It is signed with the agent's secret and judged like any other delivery. If it is accepted, a run starts."
          lines={10}
          code
          value={text}
          onChange={setText}
          problem={body ? undefined : 'This is not JSON yet.'}
        />
        <div>
          <Button kind="primary" type="submit" busy={sending.isPending} isDisabled={!body}>
            Send test delivery
          </Button>{' '}
          {body && <Curl action={{ method: 'POST', path: `/agents/${agent.id}/test-deliveries`, body }} />}
        </div>
      </form>
      <div role="status" className={agents.section}>
        {sending.error && <ErrorBox error={sending.error} />}
        {sending.data && <Result result={sending.data} />}
      </div>
    </>
  )
}

const Result = ({ result }: { result: Api['TestDelivery'] }) => {
  const owner = useOwner()
  const runId = runOf(result)
  return (
    <>
      <h2>
        <Badge tone={result.accepted ? 'good' : 'bad'}>{result.accepted ? 'accepted' : 'refused'}</Badge>
      </h2>
      <p>{verdictInWords(result)}</p>
      {runId !== undefined && (
        <p>
          <Link {...to.run(owner.address, runId)}>Open run</Link>
        </p>
      )}
      {result.code !== undefined && (
        <p className="stranger">
          <code>{result.code}</code> {shownText(result.message ?? '')}
        </p>
      )}
      {result.details?.map(({ path, message }) => (
        <p key={`${path} ${message}`} className="stranger">
          <code>{shownText(path)}</code> {shownText(message)}
        </p>
      ))}
      <h3>Headers of the proof</h3>
      <Json value={result.headers} name="headers" />
    </>
  )
}
