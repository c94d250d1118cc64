import { memo } from 'react';
import { AnswerView } from './answer-view.js';
import type { Turn } from './conversation.js';
import { Question } from './question.js';

export interface TurnActions {
  onAgain: () => void;
  onEdit: (question: string) => void;
  onNewChat: () => void;
  onEnterKey: () => void;
}

interface TurnListProps {
  turns: readonly Turn[];
  /** Names of models by their id; a model that is gone goes by its id. */
  names: ReadonlyMap<string, string>;
  /** Must keep their identity, so that finished turns are not drawn again. */
  actions: TurnActions;
  canAsk: boolean;
}

/** All turns; only the one that changes is drawn again. */
export function TurnList({ turns, names, actions, canAsk }: TurnListProps) {
  const several = new Set(turns.map((turn) => turn.answer.model)).size > 1;
  return (
    <div className="turns">
      {turns.map((turn, index) => {
        const last = index === turns.length - 1;
        return (
          <TurnView
            key={turn.id}
            turn={turn}
            modelName={names.get(turn.answer.model) ?? turn.answer.model}
            several={several}
            last={last}
            canAsk={last && canAsk}
            actions={actions}
          />
        );
      })}
    </div>
  );
}

const TurnView = memo(function TurnView(props: {
  turn: Turn;
  modelName: string;
  several: boolean;
  last: boolean;
  canAsk: boolean;
  actions: TurnActions;
}) {
  const { turn, actions } = props;
  return (
    <article className="turn">
      <Question text={turn.question} onEdit={props.canAsk ? actions.onEdit : null} />
      <AnswerView
        answer={turn.answer}
        modelName={props.modelName}
        showModel={props.several}
        last={props.last}
        onAgain={actions.onAgain}
        onNewChat={actions.onNewChat}
        onEnterKey={actions.onEnterKey}
      />
    </article>
  );
});
