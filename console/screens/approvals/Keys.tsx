import styles from './Inbox.module.css'

const keys = [
  ['j', 'next'],
  ['k', 'previous'],
  ['a', 'approve'],
  ['r', 'refuse'],
] as const

/** The keys of the inbox. Touch screens have none. */
export const Keys = () => (
  <dl className={styles.help} aria-label="Keys on this page">
    {keys.map(([key, does]) => (
      <div key={key}>
        <dt>
          <kbd>{key}</kbd>
        </dt>
        <dd>{does}</dd>
      </div>
    ))}
  </dl>
)
