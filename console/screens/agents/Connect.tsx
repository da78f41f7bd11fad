import { useState } from 'react'
import type { Api } from '../../api/client.ts'
import { Button } from '../../design/Button.tsx'
import { Empty } from '../../parts/Empty.tsx'
import { When } from '../../parts/When.tsx'
import { useOwner } from '../../session/workspace.ts'
import agents from './Agents.module.css'
import styles from './Connect.module.css'
import { PasteValue } from './PasteValue.tsx'
import { RotateDialog } from './RotateDialog.tsx'
import { guideOf, type Step } from './snippets.ts'
import { useAgent } from './useAgent.ts'

/** What to paste at the sender, step by step. */
export const Page = () => {
  const agent = useAgent()
  const [isTaking, setTaking] = useState(false)
  if (agent.webhookUrl === null)
    return (
      <Empty title="No deliveries start this agent">
        <p>Choose the trigger “Runs for each delivery” in its settings, and this page says what to paste where.</p>
      </Empty>
    )
  const { sender, docs, steps } = guideOf(agent.webhookProof)
  return (
    <>
      <section className={agents.section} aria-labelledby="paste">
        <h2 id="paste">What to paste into {sender}</h2>
        <ol className={styles.steps}>
          {steps.map((step) => (
            <StepRow key={step.text} step={step} agent={agent} onTake={() => setTaking(true)} />
          ))}
        </ol>
        <p className={styles.quiet}>
          <a href={docs} target="_blank" rel="noopener">
            Read more in the guide
          </a>
        </p>
      </section>
      <Secret agent={agent} isShown={steps.every(({ value }) => value !== 'secret')} onRotate={() => setTaking(true)} />
      {isTaking && <RotateDialog agentId={agent.id} onClose={() => setTaking(false)} />}
    </>
  )
}

const StepRow = ({ step, agent, onTake }: { step: Step; agent: Api['Agent']; onTake: () => void }) => {
  const owner = useOwner()
  return (
    <li>
      <span>{step.text}</span>
      {step.value === 'url' && <PasteValue name="address" value={agent.webhookUrl ?? ''} />}
      {step.value === 'secret' && <SecretValue secret={agent.webhookSecret} />}
      {step.takes === 'secret' && owner.may('build') && (
        <div>
          <Button small onPress={onTake}>
            Enter the secret
          </Button>
        </div>
      )}
    </li>
  )
}

const SecretValue = ({ secret }: { secret: string | null }) =>
  secret === null ? (
    <p className={styles.quiet}>Your role may not see secrets.</p>
  ) : (
    <PasteValue key={secret} name="secret" value={secret} isSecret />
  )

interface SecretProps {
  agent: Api['Agent']
  /** False if a step shows it already. */
  isShown: boolean
  onRotate: () => void
}

const Secret = ({ agent, isShown, onRotate }: SecretProps) => {
  const owner = useOwner()
  return (
    <section className={agents.section} aria-labelledby="secret">
      <h2 id="secret">Secret</h2>
      {isShown && <SecretValue secret={agent.webhookSecret} />}
      {agent.previousWebhookSecretUntil !== null && (
        <p className={styles.quiet}>
          The secret before works until <When at={agent.previousWebhookSecretUntil} />.
        </p>
      )}
      {owner.may('build') && (
        <div>
          <Button onPress={onRotate}>Change secret</Button>
        </div>
      )}
    </section>
  )
}
