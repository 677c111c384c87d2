-- What the person typed as the answer, and the word for it.
ALTER TABLE entries ADD COLUMN user_response TEXT;
ALTER TABLE entries ADD COLUMN user_response_word TEXT;
