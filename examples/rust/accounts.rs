//! Money moves from one account to another.
use std::sync::Mutex;

pub struct Account {
    pub balance: Mutex<i64>,
}

impl Account {
    pub fn new(balance: i64) -> Account {
        Account {
            balance: Mutex::new(balance),
        }
    }
}

pub fn transfer(from: &Account, to: &Account, amount: i64) {
    let mut source = from.balance.lock().unwrap();
    let mut target = to.balance.lock().unwrap();
    *source -= amount;
    *target += amount;
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Arc;
    use std::thread;

    #[test]
    fn transfers_in_both_directions() {
        let (a, b) = (Arc::new(Account::new(100)), Arc::new(Account::new(100)));
        let (c, d) = (a.clone(), b.clone());
        let other = thread::spawn(move || transfer(&d, &c, 10));
        transfer(&a, &b, 20);
        other.join().unwrap();
        assert_eq!(*a.balance.lock().unwrap() + *b.balance.lock().unwrap(), 200);
    }
}
