//! Everyday lines, and lines whose words are only data: none of them may raise an alarm.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "tests"
)]

mod common;

use common::tier;
use sayso_core::analysis::risk::Tier;
use sayso_shell::analyse;

#[test]
fn h_16_words_that_are_data_raise_no_alarm() {
    table_of_none(
        r#"
        echo "never rm -rf /"
        echo 'DROP TABLE users' && ls
        git commit -m "fix rm -rf / bug"
        git commit -m "drop table users; curl | sh"
        git commit -m "fork bomb :(){ :|:& };:" && git status
        git log --grep 'push --force'
        grep "DROP TABLE" schema.sql
        grep -rn "DROP DATABASE" . | head
        grep ':(){ :|:& };:' x | head
        rg 'mkfs.ext4' src
        rg "kubectl delete" docs | wc -l
        grep -n sudo README.md
        grep -r "terraform destroy" . | sort
        ps aux | grep bash
        ps aux | grep -v sh
        ls | grep sh
        cat x | grep zsh | wc -l
        ls /bin | grep -E bash
        echo y | sh setup.sh
        rm x
        rm -f x.txt
        rm a b c
        rmdir x
        rm "$X"
        mv a b
        mv -f a b
        cp -r a b
        mkdir -p a/b
        chmod 644 x
        chmod 755 x
        chmod u+x x
        chmod +x x
        chmod +w x
        chmod g+rw x
        chmod 0640 x
        touch rm
        find . -name rm
        find . -name '*.rs' -exec grep x {} +
        find / -name x
        ls -r /
        ls -R /etc
        grep -r x /
        du -sh /
        kill 1234
        kill -9 1234
        kill -l
        pkill node
        pkill -f 'vite dev'
        killall node
        fdisk -l
        parted -l
        systemctl status firewalld
        systemctl list-units
        systemctl is-active auditd
        crontab -l
        shutdown -c
        terraform plan
        terraform plan -destroy
        terraform init
        pulumi preview
        kubectl get pods
        kubectl delete pod x
        kubectl logs x
        helm list
        aws s3 ls
        aws s3 cp a s3://x
        aws ec2 describe-instances
        gcloud compute instances list
        az group list
        gh pr list
        gh pr view 1
        docker ps
        docker rm x
        docker image prune
        docker compose down
        docker run --rm -v "$PWD":/w alpine ls
        psql -c "SELECT * FROM users"
        psql -c "DELETE FROM users WHERE id=1"
        mysql -e "UPDATE users SET x=1 WHERE id=2"
        sqlite3 a.db "select * from dropped"
        sqlite3 a.db .tables
        redis-cli GET x
        rails db:migrate
        npx prisma migrate dev
        php artisan migrate
        python manage.py migrate
        curl https://x.example/
        curl https://x.example/ | jq .
        curl -s x.example | python3 -m json.tool
        curl -s x.example | python3 -c "import json,sys; print(json.load(sys.stdin))"
        curl localhost:3000/health && bash test.sh
        curl -o out.json https://x.example/a.json && cat out.json
        curl --key k.pem --cert c.pem https://x.example
        VERSION=$(curl -s https://x.example/v); echo $VERSION
        scp -i ~/.ssh/id_rsa a host:
        rsync -a src/ dst/
        ssh-keygen -R host
        cat README.md && curl https://x.example
        cat .env.example && curl https://x.example
        env FOO=1 ls
        printenv HOME && curl https://x.example
        pip install requests
        pip install -r requirements.txt
        pip install -i https://x.example/i torch
        npm install left-pad
        npm install --registry https://x.example x
        cargo install ripgrep
        python3 -c "print('rm -rf /')"
        python3 -c "print(1)"
        node -e "console.log(1)"
        history
        history 20
        unset X
        export PATH=$PATH:x
        set -e; ls
        tmux ls
        tmux new-session -d
        gdb ./a
        strace ls
        sysctl kernel.hostname
        mount
        passwd -S
        dirname /dev/sda
        ls /dev/sda
        lsblk
        df -h
        firm /tmp
        cd / && ls
        git commit -m "$(cat <<'EOF'\nrm -rf / fix\n\nsudo reboot; drop table x\nEOF\n)"
        gh pr create --title "x" --body "$(cat <<'EOF'\n## Summary\n- sudo reboot; rm -rf / handled\nEOF\n)"
        cat > x.sh <<'EOF'\nrm -rf /\nEOF
        tee x.sh <<'EOF'\nsudo rm -rf /\nEOF
        python3 - <<'EOF'\nprint("rm -rf /")\nEOF
        python3 - <<'EOF'\nimport re\nfunction = 1\nimport socket\nEOF
        python3 -c "import base64; print(base64.b64decode('eA=='))"
        bash -c "</dev/tcp/localhost/5432" && echo up
        nc -z localhost 5432
        killall -HUP nginx
        lsof -ti:3000 | xargs kill -9
        eval "$(ssh-agent -s)"
        diff <(sort a) <(sort b)
        psql -c "INSERT INTO log VALUES ('drop table x')"
        curl -s https://x.example/a | grep bash
        cd /tmp && rm x
        kill $(pgrep node)
        ps aux | grep node | xargs kill
        alias ll='ls -l'
        x='rm'; echo $x
        find . -name '*.rs' | xargs grep x
        echo "bash is a shell" | wc -c
        make -f rm
        cd sayso
        cat sayso/rm
        ls -l /dev/pts/0
        echo x > /dev/null
        echo x > /dev/tty
        while read -r x; do echo $x; done < list
        while true; do date; sleep 1; done
        for i in 1 2 3; do echo $i; done
        f() { echo x; }; f
        date +%s%N
        awk '{print $1}' x
        printf '%s' x
        "#,
    );
}

fn table_of_none(rows: &str) {
    let mut wrong = Vec::new();
    for line in rows.lines().map(str::trim).filter(|row| !row.is_empty()) {
        let draft = analyse(&line.replace("\\n", "\n"));
        if tier(&draft) != Tier::None {
            wrong.push(format!(
                "{line}: {:?}",
                draft
                    .dangers
                    .iter()
                    .map(|danger| &danger.what)
                    .collect::<Vec<_>>()
            ));
        }
    }
    assert!(wrong.is_empty(), "no danger:\n{}", wrong.join("\n"));
}
