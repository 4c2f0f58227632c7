import { DecisionCard, SaveBar, useDecisions, useSpace, useSyncStatus } from "deem/react";
import { type FormEvent, useState } from "react";
import { Summary } from "./summary.js";

/** The decisions of a space: a list beside the card of the one that is chosen. */
export function App() {
  const decisions = useDecisions();
  const [chosen, choose] = useState<string>();
  const shown = chosen ?? decisions[0]?.id;
  return (
    <>
      <header>
        <h1>Decisions</h1>
        <Status />
      </header>
      <main>
        <nav aria-label="Decisions">
          <ul>
            {decisions.map(({ id, header, question, status }) => (
              <li key={id}>
                <button type="button" aria-pressed={id === shown} onClick={() => choose(id)}>
                  {header || question} <small>{status}</small>
                </button>
              </li>
            ))}
          </ul>
          <Raise onRaised={choose} />
        </nav>
        {shown !== undefined && (
          <section key={shown}>
            <DecisionCard decision={shown} headingLevel={2} />
            <Summary decision={shown} />
          </section>
        )}
      </main>
      <SaveBar />
    </>
  );
}

function Status() {
  const { state, pending, online } = useSyncStatus();
  return (
    <p role="status">
      {online ? "Online" : "Offline"}, {pending === 0 ? state : `${pending} waiting`}
    </p>
  );
}

/** Raises a written decision. */
function Raise({ onRaised }: { onRaised: (id: string) => void }) {
  const store = useSpace();
  const [question, setQuestion] = useState("");
  const [problem, setProblem] = useState("");
  const raise = (event: FormEvent) => {
    event.preventDefault();
    store.createDecision(question).then(
      (id) => {
        setQuestion("");
        setProblem("");
        onRaised(id);
      },
      (error: Error) => setProblem(error.message),
    );
  };
  return (
    <form onSubmit={raise}>
      <label>
        What is to be decided?
        <input value={question} onChange={(event) => setQuestion(event.target.value)} required />
      </label>
      <button type="submit">Raise</button>
      <p role="alert">{problem}</p>
    </form>
  );
}
