import { useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useId } from 'react'
import { to } from '../../addresses.ts'
import { api, type Api } from '../../api/client.ts'
import { Button } from '../../design/Button.tsx'
import { notify } from '../../design/notices.ts'
import { Curl } from '../../parts/Curl.tsx'
import { ErrorBox } from '../../parts/ErrorBox.tsx'
import type { Owner } from '../../session/workspace.ts'
import styles from './TemplateCard.module.css'
import { toolsOf, whatStartDoes, whenItRuns } from './template-words.ts'

interface CardProps {
  template: Api['Template']
  owner: Owner
}

/** What a template does, and the button that starts it. */
export const TemplateCard = ({ template, owner }: CardProps) => {
  const id = useId()
  return (
    <li className={styles.card}>
      <div className={styles.text}>
        <h2 id={id}>{template.title}</h2>
        <p>{template.description}</p>
        <dl className={styles.facts}>
          <dt>Runs</dt>
          <dd>{whenItRuns(template)}</dd>
          <dt>Tools</dt>
          <dd className={styles.tools}>
            {toolsOf(template).map(({ key, name, asksFirst }) => (
              <span key={key} className={styles.tool}>
                <code className="stranger">{name}</code>
                {asksFirst && ' asks you first'}
              </span>
            ))}
          </dd>
        </dl>
      </div>
      <Foot template={template} owner={owner} titleId={id} />
    </li>
  )
}

const Foot = ({ template, owner, titleId }: CardProps & { titleId: string }) => {
  if (template.obstacle !== null)
    return (
      <div className={styles.foot}>
        <h3>You cannot start it now</h3>
        <p className="stranger">{template.obstacle}</p>
        <p>
          <a href="/docs/how-to/templates" target="_blank" rel="noopener">
            Read about templates
          </a>
        </p>
      </div>
    )
  return (
    <div className={styles.foot}>
      <h3>What “Start” does</h3>
      <ol>
        {whatStartDoes(template).map((sentence) => (
          <li key={sentence} className="stranger">
            {sentence}
          </li>
        ))}
      </ol>
      {owner.may('build') ? (
        <StartButton template={template} owner={owner} titleId={titleId} />
      ) : (
        <p>Your role may not create agents. Ask a member of the workspace.</p>
      )}
    </div>
  )
}

/** Starts the template, and opens the page of its first run. */
const StartButton = ({ template: { id, name }, owner, titleId }: CardProps & { titleId: string }) => {
  const navigate = useNavigate()
  const queries = useQueryClient()
  const starting = api.useMutation('post', '/templates/{templateId}/agents', {
    async onSuccess({ runId }) {
      notify('done', `The agent “${name}” is created, and its first run has started.`)
      await navigate(to.run(owner.address, runId))
      await queries.invalidateQueries()
    },
  })
  const body = owner.query
  return (
    <>
      {starting.error && <ErrorBox error={starting.error} />}
      <div className={styles.buttons}>
        <Button
          aria-describedby={titleId}
          busy={starting.isPending}
          onPress={() => starting.mutate({ params: { path: { templateId: id } }, body })}
        >
          {starting.isPending ? 'Starting …' : 'Start'}
        </Button>
        <Curl action={{ method: 'POST', path: `/templates/${id}/agents`, body }} />
      </div>
    </>
  )
}
