import { useQuery } from '@tanstack/react-query'
import { api } from '../../api/client.ts'
import { Empty } from '../../parts/Empty.tsx'
import { ErrorBox } from '../../parts/ErrorBox.tsx'
import { Page as Frame } from '../../parts/Page.tsx'
import { Skeleton } from '../../parts/Skeleton.tsx'
import { useOwner, type Owner } from '../../session/workspace.ts'
import styles from './Start.module.css'
import { TemplateCard } from './TemplateCard.tsx'

/** Choose a template, and watch its first run. */
export const Page = () => {
  const owner = useOwner()
  return (
    <Frame title="Start from a template" place={owner.name}>
      <Introduction owner={owner} />
      <Templates key={owner.address} owner={owner} />
    </Frame>
  )
}

/** Welcomes an owner who has no agents yet. The height is the same for others. */
const Introduction = ({ owner }: { owner: Owner }) => {
  const params = { query: { limit: 1, ...owner.query } }
  const { data } = useQuery(api.queryOptions('get', '/agents', { params }))
  const isFirst = data?.items.length === 0
  return (
    <p className={styles.introduction}>
      {isFirst && <strong>Welcome to Switchyard. </strong>}
      A template is a working agent: a prompt, a trigger, and the tools that it may use. Start one, and watch its first
      run step by step. Later you can change the agent as you like, or delete it.
    </p>
  )
}

const Templates = ({ owner }: { owner: Owner }) => {
  const { data, error, refetch } = useQuery(api.queryOptions('get', '/templates', { params: { query: owner.query } }))
  if (error) return <ErrorBox error={error} onRetry={() => void refetch()} />
  if (!data) return <Skeleton lines={3} height={180} />
  if (data.items.length === 0)
    return (
      <Empty title="This installation has no templates">
        <p>
          <a href="/docs/start/first-agent" target="_blank" rel="noopener">
            Create your first agent with the API
          </a>
        </p>
      </Empty>
    )
  return (
    <ul className={styles.cards}>
      {data.items.map((template) => (
        <TemplateCard key={template.id} template={template} owner={owner} />
      ))}
    </ul>
  )
}
